import http from 'node:http'
import { once } from 'node:events'
import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { removeOldMedia } from '../../src/domain/media/retention.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { keepUpload, type UploadField } from '../../src/domain/media/uploads.js'
import { ago, changeRows, inboundText, mediaAt } from '../domain/fixtures.js'
import { MEDIA, pictureOf } from '../domain/media-samples.js'
import { StorageFailed, StoredFileMissing } from '../../src/storage/storage.js'
import { lineForAllTests } from '../helpers/factories.js'
import { copyMedia, mediaRow } from '../helpers/media.js'
import { until } from '../helpers/until.js'
import { describeWeb, serveApp } from '../helpers/web/web.js'

const PNG = MEDIA.picture.png!

describeWeb('/media', ({ context, web }) => {
  const line = lineForAllTests(context)

  /** @returns the message's id and the path of our copy, which is there only after `copyMedia` */
  const receive = async (bytes: Buffer, field: UploadField = 'picture') => {
    const url = await keepUpload(context, field, bytes)
    const type = field === 'picture' ? 'inboundMedia' : 'voiceMail'
    const outcome = await receiveMessage(context, inboundText(line, { content: mediaAt(url, type) }))
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    const { token } = await mediaRow(context, outcome.messageId)
    return { id: outcome.messageId, path: `/media/${token}` }
  }
  const host = async (bytes: Buffer, field: UploadField = 'picture') => {
    const { id, path } = await receive(bytes, field)
    await copyMedia(context, id)
    return path
  }
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(web.url + path, init)
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  it('serves a copy to anyone with its URL, cached forever, in a sandbox', async () => {
    const { response, bytes } = await get(await host(PNG))
    expect(response.status).to.equal(200)
    expect(bytes.equals(PNG)).to.be.true
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline',
      'cache-control': 'private, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
    })
  })

  it('offers files that browsers cannot play as downloads', async () => {
    for (const [ending, disposition] of [
      ['mp3', 'inline'],
      ['mp4', 'inline'],
      ['amr', 'attachment'],
    ] as const) {
      const { response } = await get(await host(MEDIA.recording[ending]!, 'recording'))
      expect(response.headers.get('content-disposition'), ending).to.equal(disposition)
    }
  })

  it('answers HEAD without the bytes', async () => {
    const { response, bytes } = await get(await host(PNG), { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length')]).to.deep.equal([200, String(PNG.length)])
    expect(bytes).to.have.length(0)
  })

  it('serves a range, as players ask for it', async () => {
    const path = await host(PNG)
    for (const method of ['GET', 'HEAD']) {
      const { response, bytes } = await get(path, { method, headers: { Range: 'bytes=4-7' } })
      expect(response.status).to.equal(206)
      expect(response.headers.get('content-range')).to.equal(`bytes 4-7/${PNG.length}`)
      expect(response.headers.get('content-length')).to.equal('4')
      if (method === 'GET') expect(bytes.equals(PNG.subarray(4, 8))).to.be.true
    }
    expect((await get(path, { headers: { Range: 'bytes=9999-' } })).response.status).to.equal(200)
  })

  it('answers 404 for an unknown token, and before the copy exists', async () => {
    const { path } = await receive(PNG)
    for (const wrong of [
      path,
      `${path}x`,
      path.slice(0, -1),
      '/media/x',
      '/media/%00',
      '/media/..%2f..%2fetc',
    ]) {
      const { status, headers } = await web.request(wrong)
      expect([status, headers.get('cache-control')], wrong).to.deep.equal([404, 'no-store'])
    }
  })

  it('answers 410 when the copy was deleted because it was old, and other copies stay', async () => {
    const [old, young] = [await receive(PNG), await receive(PNG)]
    for (const { id } of [old, young]) await copyMedia(context, id)
    const age = (id: string, interval: string) =>
      changeRows(context, 'media', { message_id: id }, { stored_at: ago(context, interval) })
    await age(old.id, '30 days 1 minute')
    await age(young.id, '29 days 23 hours')
    const { storage_key: key } = await mediaRow(context, old.id)
    expect(await removeOldMedia(context)).to.equal(1)
    expect(await removeOldMedia(context)).to.equal(0)
    expect((await web.request(old.path)).status).to.equal(410)
    expect((await web.request(young.path)).status).to.equal(200)
    const opened = await context.storage.open(key ?? '').catch((error: unknown) => error)
    expect(opened).to.have.property('name', 'StoredFileMissing')
  })

  it('goes even if another file cannot be deleted, which is reported', async () => {
    const [first, second] = [await receive(PNG), await receive(PNG)]
    for (const { id } of [first, second]) await copyMedia(context, id)
    await context
      .db('media')
      .whereIn('message_id', [first.id, second.id])
      .update({
        stored_at: context.db.raw(
          `now() - interval '31 days' - (case when message_id = ? then 1 else 0 end) * interval '1 day'`,
          [first.id],
        ),
      })
    const { storage_key: stuck } = await mediaRow(context, first.id)
    const remove = (key: string) =>
      key === stuck
        ? Promise.reject(new StorageFailed('remove it', new Error('EIO')))
        : context.storage.remove(key)
    const failing: Context = { ...context, storage: { ...context.storage, remove } }
    const failure = await removeOldMedia(failing).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(StorageFailed)
    expect((await web.request(first.path)).status).to.equal(200)
    expect((await web.request(second.path)).status).to.equal(410)
    expect(await removeOldMedia(context)).to.equal(1)
  })

  for (const [what, error, status] of [
    ['503 while the storage is away', new StorageFailed('open it', new Error('EIO')), 503],
    ['404 when the storage has lost the file', new StoredFileMissing('2026-11-01/1-1'), 404],
  ] as const) {
    it(`answers ${what}`, async () => {
      const path = await host(PNG)
      const storage = { ...context.storage, open: () => Promise.reject(error) }
      const other = await serveApp({ ...context, storage })
      const response = await other.request(path)
      await other.close()
      expect(response.status).to.equal(status)
      expect(response.headers.get('retry-after')).to.equal(status === 503 ? '5' : null)
    })
  }

  it('closes the file when the client disconnects partway', async () => {
    let open = 0
    const { storage } = context
    const watched: Context = {
      ...context,
      storage: {
        ...storage,
        open: async (...file) => {
          const stream = await storage.open(...file)
          open += 1
          stream.once('close', () => (open -= 1))
          return stream
        },
      },
    }
    const path = await host(pictureOf(4_999_999))
    const other = await serveApp(watched)
    const request = http.get(other.url + path)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.pause()
    expect(open).to.equal(1)
    response.destroy()
    await until('the file is closed', () => open === 0)
    await other.close()
  })

  it('leaves the token out of the log', async () => {
    const lines: object[] = []
    const log = { ...context.log, info: (fields: object) => lines.push(fields) } as unknown as Context['log']
    const other = await serveApp({ ...context, log })
    await other.request(await host(PNG))
    await other.close()
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ path: '/media/[cut]', status: 200 })
  })
})
