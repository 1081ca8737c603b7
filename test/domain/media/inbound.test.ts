import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { nextMediaRetryMs } from '../../../src/domain/media/retry-schedule.js'
import type { MediaReason } from '../../../src/states.js'
import type { CarrierClient } from '../../../src/carriers/carrier.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../src/domain/endpoints/deliveries/held-events.js'
import { sendDeliveryAgain } from '../../../src/domain/endpoints/deliveries/send-again.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { keepUpload } from '../../../src/domain/media/uploads.js'
import type { Context } from '../../../src/domain/context.js'
import { tryMessageNow } from '../../../src/domain/messages/try-now.js'
import { claimMedia } from '../../../src/database/media/fetching.js'
import { recordMediaCrash } from '../../../src/database/media/stranded.js'
import { MAX_LOST } from '../../../src/domain/crashes.js'
import { fetchMedia } from '../../../src/domain/media/fetch.js'
import { sweep } from '../../../src/domain/sweep.js'
import { newId, timeOfId } from '../../../src/ids.js'
import { jobIdOf } from '../../../src/queues/jobs.js'
import { createStorage } from '../../../src/storage/create.js'
import { StorageFailed } from '../../../src/storage/storage.js'
import { describeContext } from '../../helpers/context.js'
import { lineForEachTest, own } from '../../helpers/factories.js'
import { copyMedia, copyMediaToTheEnd, mediaRow, type MediaRow } from '../../helpers/media.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { startStandIn } from '../../helpers/services/stand-in.js'
import { openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import {
  withCarrierOf,
  changeRows,
  hasDeliveryJob,
  inboundText,
  ago,
  countRows,
  mediaAt,
  deliveriesOf as deliveriesOfMessage,
  receiveNew,
} from '../fixtures.js'
import { expectRefusal } from '../refusal.js'
import { MEDIA, NO_MEDIA, pictureOf, pngOf, SENT_BY_PHONES } from '../media-samples.js'
import { failure } from '../../helpers/failure.js'

describe('when media are copied again', () => {
  const waits = (failure: MediaReason, purpose: 'inbound' | 'outbound') => {
    const found: number[] = []
    for (let attempt = 1; ; attempt += 1) {
      const ms = nextMediaRetryMs(failure, purpose, attempt, 5000, 0.5)
      if (ms === undefined) return found
      found.push(ms / 1000)
    }
  }

  it('received ones that are not there yet: within a quarter of an hour', () => {
    expect(waits('media_http_404', 'inbound')).to.deep.equal([5, 10, 20, 40, 80, 160, 300, 300])
  })

  it('received ones that failed otherwise: as deliveries are, for days', () => {
    for (const failure of ['media_http_403', 'media_http_429', 'media_http_500', 'media_connect'] as const) {
      const all = waits(failure, 'inbound')
      expect(all).to.have.length(9)
      expect(all.slice(0, 3)).to.deep.equal([5, 20, 80])
    }
  })

  it('a failure that comes after the last 404 still has an attempt left', () => {
    const last = waits('media_http_404', 'inbound').length + 1
    expect(nextMediaRetryMs('media_http_500', 'inbound', last, 5000, 0.5)).to.be.greaterThan(0)
  })

  it('those that a line sends: three times, soon, and not at all where the URL is wrong', () => {
    expect(waits('media_http_500', 'outbound')).to.deep.equal([2, 6, 18])
    for (const failure of ['media_http_404', 'media_http_403', 'media_http_410'] as const) {
      expect(waits(failure, 'outbound')).to.deep.equal([])
    }
  })

  it('never what no waiting mends', () => {
    for (const failure of ['media_http_410', 'media_type', 'media_too_large', 'media_gone'] as const) {
      expect(waits(failure, 'inbound'), failure).to.deep.equal([])
    }
  })
})

const PNG = MEDIA.picture.png!
const NOTHING_LEFT =
  'The carrier sent these media inside its request, and they could not be used. There is nothing left to copy'

describeContext('media that a line receives', (context) => {
  const host = openForSuite(startStandIn)
  const receiver = openForSuite(startReceiver)

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  beforeEach(() => {
    receiver.requests.length = 0
  })

  const receive = async (url = host.give(PNG), type: 'inboundMedia' | 'voiceMail' = 'inboundMedia') => {
    const messageId = await receiveNew(context, line, { content: mediaAt(url, type) })
    expect(await deliveriesOf(messageId)).to.deep.equal([])
    return messageId
  }
  const deliveriesOf = (messageId: string) => deliveriesOfMessage(context, messageId)
  const saying = (status: number) => (_request: unknown, response: ServerResponse) =>
    response.writeHead(status).end()
  const hostedUrlOf = async (messageId: string) =>
    `${context.config.publicUrl}/media/${(await mediaRow(context, messageId)).token}`

  it('are copied before their event goes out, whose payload is our URL', async () => {
    const id = await receive()
    expect(await copyMedia(context, id)).to.deep.equal({ kind: 'stored', byteCount: PNG.length })
    const [delivery] = await deliveriesOf(id)
    expect(delivery).to.include({ status: 'pending', last_failure: null })
    expect(await hasDeliveryJob(context, delivery!.id, 0)).to.be.true

    await deliver(context, delivery!.id, delivery!.endpoint_id)
    const [event] = receiver.requests.map(({ body }) => JSON.parse(body) as object)
    expect(event).to.include({
      type: 'inboundMedia',
      payload: await hostedUrlOf(id),
      toNumber: line.number,
    })
  })

  for (const [ending, contentType, ofVoicemail = contentType] of [
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['ogg', 'audio/ogg'],
    ['opus', 'audio/ogg'],
    ['amr', 'audio/amr'],
    ['m4a', 'audio/mp4'],
    ['mp4', 'video/mp4', 'audio/mp4'],
    ['webm', 'video/webm', 'audio/webm'],
  ] as const) {
    it(`may be ${ending}`, async () => {
      const url = host.give(MEDIA.recording[ending]!)
      for (const [type, expected] of [
        ['inboundMedia', contentType],
        ['voiceMail', ofVoicemail],
      ] as const) {
        const id = await receive(url, type)
        await copyMedia(context, id)
        expect(await mediaRow(context, id)).to.include({ status: 'stored', content_type: expected })
      }
    })
  }

  it('may be larger than what is sent, and are kept as the carrier gave them, also when they end early', async () => {
    for (const bytes of [pngOf(6_000_000), MEDIA.picture.jpg!, PNG.subarray(0, 40)]) {
      const id = await receive(host.give(bytes))
      expect(await copyMedia(context, id)).to.deep.equal({ kind: 'stored', byteCount: bytes.length })
    }
  })

  it('go to the endpoints of when the copy is there, and are held while the line is disabled', async () => {
    const id = await receive()
    await changeRows(context, 'lines', line.lineId, { status: 'disabled' })
    await copyMedia(context, id)
    const [delivery] = await deliveriesOf(id)
    expect(delivery).to.include({ status: 'held', last_failure: 'line_disabled' })
  })

  it("from the simulator's phones are read where they are, wherever PUBLIC_URL leads", async () => {
    const id = await receive(await keepUpload(context, 'recording', MEDIA.recording.mp3!), 'voiceMail')
    await copyMedia(context, id)
    expect(await mediaRow(context, id)).to.include({ status: 'stored', content_type: 'audio/mpeg' })
  })

  it('arrive in every format that phones send', async () => {
    for (const [contentType, bytes] of Object.entries(SENT_BY_PHONES)) {
      const id = await receive(host.give(bytes))
      expect(await copyMedia(context, id), contentType).to.include({ kind: 'stored' })
      expect(await mediaRow(context, id)).to.include({ content_type: contentType })
    }
  })

  describe('several in one message', () => {
    const receiveSeveral = async (urls: string[], text = '') => {
      const content = { type: 'inboundMedia', text, urls } as const
      const inbound = inboundText(line, { content, carrierMessageId: newId() })
      const outcome = await receiveMessage(context, inbound)
      if (outcome.kind !== 'received') throw new Error(outcome.kind)
      expect((await receiveMessage(context, inbound)).kind).to.equal('repeat')
      return outcome
    }
    const copies = (messageId: string) =>
      context.db('media').where({ message_id: messageId }).orderBy('id').select<MediaRow[]>()
    const listed = async () => {
      const rows = await context
        .db('deliveries as d')
        .join('events as e', 'e.id', 'd.event_id')
        .where({ 'd.line_id': line.lineId })
        .orderBy('d.id')
        .select<{ type: string; payload: string }[]>('e.type', 'e.payload')
      return rows.map(({ type, payload }) => (type === 'inboundText' ? payload : payload.slice(-43)))
    }

    it('are one message, with an event for its text at once, and one for each of them in their order', async () => {
      const { messageId, deliveryCount } = await receiveSeveral(
        [1, 2, 3].map(() => host.give(PNG)),
        'All three',
      )
      expect(deliveryCount).to.equal(1)
      expect(await listed()).to.deep.equal(['All three'])
      const media = await copies(messageId)
      const tokens = media.map(({ token }) => token)
      for (const n of [2, 1]) {
        await fetchMedia(context, media[n]!.id)
        expect(await listed(), 'it waits for the first').to.deep.equal(['All three'])
      }
      await fetchMedia(context, media[0]!.id)
      expect(await listed()).to.deep.equal(['All three', ...tokens])
      expect(await context.db('messages').where({ line_id: line.lineId })).to.have.length(1)
      const events = await context.db('events').where({ message_id: messageId }).orderBy('id').pluck('type')
      expect(events).to.deep.equal(['inboundText', 'inboundMedia', 'inboundMedia', 'inboundMedia'])
    })

    it('do not wait for one whose first attempt has failed, nor is any told twice', async () => {
      let isThere = false
      const late = host.serve((_request, response) =>
        isThere ? response.end(PNG) : response.writeHead(503).end(),
      )
      const { messageId } = await receiveSeveral([late, host.give(PNG), host.give(NO_MEDIA.text!)])
      const [first, second, wrong] = await copies(messageId)
      await fetchMedia(context, second!.id)
      expect(await listed()).to.deep.equal([])
      expect(await fetchMedia(context, first!.id)).to.include({ kind: 'retry' })
      expect(await listed()).to.deep.equal([second!.token])
      await fetchMedia(context, wrong!.id)
      isThere = true
      expect(await fetchMedia(context, first!.id)).to.include({ kind: 'stored' })
      expect(await listed()).to.deep.equal([second!.token, wrong!.token, first!.token])
      const held = (await deliveriesOf(messageId)).filter(({ status }) => status === 'held')
      expect(held.map(({ last_failure }) => last_failure)).to.deep.equal(['media_type'])
    })

    it('each find the others, however many workers copy them at once', async () => {
      const { messageId } = await receiveSeveral(Array.from({ length: 10 }, () => host.give(PNG)))
      const media = await copies(messageId)
      await Promise.all(media.map(({ id }) => fetchMedia(context, id)))
      expect(await listed()).to.deep.equal(media.map(({ token }) => token))
    })
  })

  describe('that cannot be copied', () => {
    for (const status of [404, 403]) {
      it(`because the file is not there yet (${status}) are copied once it is, and then their event goes out`, async () => {
        let isThere = false
        const url = host.serve((_request, response) =>
          isThere ? response.end(PNG) : response.writeHead(status).end(),
        )
        const id = await receive(url)
        for (let attempt = 1; attempt <= 4; attempt += 1) {
          const outcome = await copyMedia(context, id)
          expect(outcome).to.include({ kind: 'retry', failure: `media_http_${status}` })
          expect(await deliveriesOf(id)).to.deep.equal([])
        }
        isThere = true
        expect(await copyMedia(context, id)).to.deep.equal({ kind: 'stored', byteCount: PNG.length })
        const [delivery] = await deliveriesOf(id)
        await deliver(context, delivery!.id, delivery!.endpoint_id)
        const [event] = receiver.requests.map(({ body }) => JSON.parse(body) as object)
        expect(event).to.include({ type: 'inboundMedia', payload: await hostedUrlOf(id) })
      })
    }

    it('because their host knows nothing of them (404) are given up after a quarter of an hour, and held', async () => {
      const id = await receive(`${host.origin}/nothing`)
      let waitedMs = 0
      let outcome = await copyMedia(context, id)
      for (; outcome.kind === 'retry'; outcome = await copyMedia(context, id)) waitedMs += outcome.ms
      expect(outcome).to.deep.equal({ kind: 'failed', failure: 'media_http_404' })
      expect(waitedMs).to.be.within(12 * 60_000, 19 * 60_000)
      const [delivery] = await deliveriesOf(id)
      expect(delivery).to.include({ status: 'held', last_failure: 'media_http_404' })
    })

    for (const [what, failure, bytes] of [
      ['of no type that is taken', 'media_type', NO_MEDIA['a page']!],
      ['too large', 'media_too_large', pictureOf(25_000_001)],
      ['gone', 'media_http_410', undefined],
    ] as const) {
      it(`because they are ${what} are given up at once, and their event is held with the reason`, async () => {
        const url = bytes === undefined ? host.serve(saying(410)) : host.give(bytes)
        const id = await receive(url)
        expect(await copyMedia(context, id)).to.deep.equal({ kind: 'failed', failure })
        const [delivery] = await deliveriesOf(id)
        expect(delivery).to.include({ status: 'held', last_failure: failure })
        expect(await sendHeldEvents(context, ...own(line))).to.equal(0)
        expect((await deliveriesOf(id))[0]?.status).to.equal('held')
      })
    }

    it('are copied anew when a person sends the event again, which then goes out', async () => {
      let bytes = NO_MEDIA.text!
      const id = await receive(host.serve((_request, response) => response.end(bytes)))
      await copyMedia(context, id)
      const [held] = await deliveriesOf(id)
      const again = () => sendDeliveryAgain(context, line.userId, held!.id)

      expect(await again()).to.include({ status: 'held', lastFailure: 'media_type' })
      expect(await mediaRow(context, id)).to.include({ status: 'pending', job_generation: 1 })
      await expectRefusal(again(), 409)
      await copyMedia(context, id)
      expect((await deliveriesOf(id))[0]).to.include({ status: 'held', last_failure: 'media_type' })

      bytes = PNG
      await again()
      await copyMedia(context, id)
      const [released, ...others] = await deliveriesOf(id)
      expect(others).to.deep.equal([])
      expect(released).to.include({ status: 'pending', last_failure: null, job_generation: 1 })
      expect(await hasDeliveryJob(context, released!.id, 1)).to.be.true
    })
  })

  describe('that came inside of a request', () => {
    const inside = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`

    it('are kept no longer than they are of use: what is stored, or can never be, leaves the row', async () => {
      const stored = await receive(inside(PNG))
      expect(await copyMedia(context, stored)).to.include({ kind: 'stored' })
      expect(await mediaRow(context, stored)).to.include({ status: 'stored', source_url: '' })

      const useless = await receive(inside(NO_MEDIA.text!))
      expect(await copyMedia(context, useless)).to.include({ kind: 'failed', failure: 'media_type' })
      expect(await mediaRow(context, useless)).to.include({ status: 'failed', source_url: '' })
      const [held] = await deliveriesOf(useless)
      expect(held).to.include({ status: 'held', last_failure: 'media_type' })
      await expectRefusal(sendDeliveryAgain(context, line.userId, held!.id), 409, NOTHING_LEFT)
      expect(await mediaRow(context, useless)).to.include({ status: 'failed', failure: 'media_type' })
    })

    it('stay after a fault of ours, and can be copied when it is repaired', async () => {
      const id = await receive(inside(PNG))
      await changeRows(context, 'media', { message_id: id }, { crash_count: 5 })
      expect(await copyMedia(context, id)).to.include({ kind: 'failed', failure: 'media_internal_error' })
      expect(await mediaRow(context, id)).to.include({ source_url: inside(PNG) })
      await sendDeliveryAgain(context, line.userId, (await deliveriesOf(id))[0]!.id)
      expect(await copyMedia(context, id)).to.include({ kind: 'stored' })
    })

    it('stay while they wait for the storage', async () => {
      const id = await receive(inside(PNG))
      const broken = {
        ...context.storage,
        put: () => Promise.reject(new StorageFailed('write', new Error('away'))),
      }
      expect(await copyMedia({ ...context, storage: broken }, id)).to.include({ kind: 'retry' })
      expect(await mediaRow(context, id)).to.include({ status: 'pending', source_url: inside(PNG) })
    })
  })

  it("show a carrier's credentials to the carrier's own host only, hop by hop", async () => {
    const seen: (string | undefined)[] = []
    const other = await startStandIn()
    const elsewhere = other.serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end(PNG)
    })
    const url = host.serve((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(307, { Location: elsewhere }).end()
    })
    const mediaHeaders: CarrierClient['mediaHeaders'] = ({ origin }): Record<string, string> =>
      origin === host.origin ? { authorization: 'Basic c2VjcmV0' } : {}
    const withHeaders = withCarrierOf(context, { mediaHeaders })
    const id = await receive(url)
    expect(await copyMediaToTheEnd(withHeaders, id)).to.include({ kind: 'stored' })
    await other.close()
    expect(seen).to.deep.equal(['Basic c2VjcmV0', undefined])
  })

  describe('media whose worker or job is lost', () => {
    beforeEach(async () => {
      await context.db('media').delete()
      await context.db('deliveries').delete()
    })

    const hasJob = async (id: string, generation: number) =>
      (await context.queues.fetchMedia.getJob(jobIdOf(id, generation))) !== undefined
    const endLease = (id: string) =>
      changeRows(context, 'media', id, { lease_until: ago(context, '1 second') })
    const makeOverdue = (id: string) =>
      changeRows(context, 'media', id, { due_at: ago(context, '10 seconds') })

    it('are copied anew under a new job when the lease is over', async () => {
      const { id } = await mediaRow(context, await receive())
      await claimMedia(context.db, id, { leaseMs: 60_000, maxLost: MAX_LOST })
      expect(await fetchMedia(context, id)).to.deep.equal({ kind: 'skipped' })
      expect(await sweep(context)).to.equal(0)
      await endLease(id)
      expect(await sweep(context)).to.equal(1)
      expect(await hasJob(id, 1)).to.be.true
      expect(await fetchMedia(context, id)).to.include({ kind: 'stored' })
      expect(await countRows(context, 'deliveries')).to.equal(1)
    })

    it('are stored once, whoever comes late: a second copy goes away again', async () => {
      let release: () => void = () => undefined
      let asked = 0
      const url = host.serve((_request, response) => {
        asked += 1
        if (asked === 1) release = () => response.end(PNG)
        else response.end(PNG)
      })
      const messageId = await receive(url)
      const late = copyMedia(context, messageId)
      await until('the first worker asks', () => asked === 1)
      await endLease((await mediaRow(context, messageId)).id)
      await sweep(context)
      expect(await copyMedia(context, messageId)).to.include({ kind: 'stored' })
      const stored = await mediaRow(context, messageId)
      release()
      expect(await late).to.deep.equal({ kind: 'skipped' })
      expect(await mediaRow(context, messageId)).to.deep.equal(stored)
      const day = timeOfId(stored.id).toISOString().slice(0, 10)
      expect(stored.storage_key, 'a folder for each day').to.match(new RegExp(`^${day}/${stored.id}-2$`))
      const first = stored.storage_key?.replace(/2$/, '1') ?? ''
      expect(await failure(context.storage.open(first))).to.have.property('name', 'StoredFileMissing')
      expect(await countRows(context, 'deliveries')).to.equal(1)
    })

    it('get the job that Redis lost, and wait on while they have one', async () => {
      const { id } = await mediaRow(context, await receive())
      await until('it has its job', () => hasJob(id, 0))
      await makeOverdue(id)
      expect(await sweep(context)).to.equal(0)
      await context.redis.flushdb()
      await makeOverdue(id)
      expect(await sweep(context)).to.equal(1)
      expect(await hasJob(id, 1)).to.be.true
    })

    it('are tried by their newest job only, however often a person asks for it', async () => {
      const messageId = await receive(host.serve(saying(503)))
      const { id } = await mediaRow(context, messageId)
      expect(await fetchMedia(context, id, 0)).to.include({ kind: 'retry' })
      for (let n = 1; n <= 3; n += 1) await tryMessageNow(context, line.userId, messageId)
      for (const older of [0, 1, 2])
        expect(await fetchMedia(context, id, older)).to.deep.equal({ kind: 'skipped' })
      await until('the newest has its job', () => hasJob(id, 3))
      const job = await context.queues.fetchMedia.getJob(jobIdOf(id, 3))
      expect(job?.data).to.include({ id, generation: 3 })
      expect(await fetchMedia(context, id, 3)).to.include({ kind: 'retry' })
      expect(await mediaRow(context, messageId)).to.include({ status: 'pending', attempt_count: 2 })
    })

    it(`are copied only where they are alone when ${MAX_LOST} workers were lost, and none of them counts as a crash`, async () => {
      const messageId = await receive()
      const { id } = await mediaRow(context, messageId)
      for (let lost = 1; lost <= MAX_LOST; lost += 1) {
        await claimMedia(context.db, id, { leaseMs: 60_000, maxLost: MAX_LOST })
        await endLease(id)
        await sweep(context)
      }
      expect(await fetchMedia(context, id)).to.deep.equal({ kind: 'suspect' })
      expect(await mediaRow(context, messageId)).to.include({ status: 'pending', crash_count: 0 })
      expect(await fetchMedia({ ...context, maxLost: MAX_LOST + 1 }, id)).to.include({ kind: 'stored' })
    })

    it('are given up after five crashes, and their event is held with the reason', async () => {
      const messageId = await receive()
      const { id } = await mediaRow(context, messageId)
      for (let crash = 1; crash <= 5; crash += 1) {
        await claimMedia(context.db, id, { leaseMs: 60_000, maxLost: MAX_LOST })
        await recordMediaCrash(context.db, { id })
      }
      const leftBehind = `${timeOfId(id).toISOString().slice(0, 10)}/${id}-5`
      await context.storage.put(leftBehind, Readable.from(['x']), 1)
      expect(await fetchMedia(context, id)).to.deep.equal({ kind: 'failed', failure: 'media_internal_error' })
      expect(await failure(context.storage.open(leftBehind))).to.have.property('name', 'StoredFileMissing')
      const [delivery] = await deliveriesOf(messageId)
      expect(delivery).to.include({ status: 'held', last_failure: 'media_internal_error' })
    })

    it('stay with the worker that has them when one that lost them crashes later', async () => {
      const messageId = await receive()
      const { id } = await mediaRow(context, messageId)
      const claim = () => claimMedia(context.db, id, { leaseMs: 60_000, maxLost: MAX_LOST })
      await claim()
      await endLease(id)
      await sweep(context)
      await claim()
      await recordMediaCrash(context.db, { id, generation: 0 })
      expect(await mediaRow(context, messageId)).to.include({ status: 'fetching', crash_count: 0 })
      await recordMediaCrash(context.db, { id, generation: 1 })
      expect(await mediaRow(context, messageId)).to.include({ status: 'pending', crash_count: 1 })
    })

    it('wait, and use up no attempt, while the storage does not work', async () => {
      const storage = createStorage({ mediaFolder: '/dev/null/media', mediaS3: undefined })
      const broken: Context = { ...context, storage }
      const messageId = await receive()
      for (let n = 0; n < 12; n += 1) {
        expect(await copyMedia(broken, messageId)).to.deep.equal({
          kind: 'retry',
          ms: 30_000,
          failure: 'media_unavailable',
        })
      }
      const isAt = (url: string) =>
        changeRows(context, 'media', { message_id: messageId }, { source_url: url })
      await isAt(host.serve(saying(404)))
      expect(await copyMedia(context, messageId)).to.include({ kind: 'retry', failure: 'media_http_404' })
      await isAt(host.give(PNG))
      expect(await copyMedia(context, messageId)).to.include({ kind: 'stored' })
    })

    it('wait too while the disk for files on their way does not work', async () => {
      const messageId = await receive()
      const folder = process.env.TMPDIR
      try {
        process.env.TMPDIR = '/dev/null'
        expect(await copyMedia(context, messageId)).to.deep.equal({
          kind: 'retry',
          ms: 30_000,
          failure: 'media_unavailable',
        })
      } finally {
        if (folder === undefined) delete process.env.TMPDIR
        else process.env.TMPDIR = folder
      }
      expect(await copyMedia(context, messageId)).to.include({ kind: 'stored' })
    })
  })
})
