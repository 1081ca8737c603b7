import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { CarrierKind } from '../../../src/carriers/kind.js'
import type { MediaLimits } from '../../../src/carriers/media-limits.js'
import { simulator } from '../../../src/carriers/simulator.js'
import type { Context } from '../../../src/domain/context.js'
import { fetchMedia } from '../../../src/domain/media/fetch.js'
import { removeOldMedia } from '../../../src/domain/media/retention.js'
import { getHostedMedia } from '../../../src/domain/media/hosting.js'
import { getMessage } from '../../../src/domain/messages/get-message.js'
import { sendMessageAgain } from '../../../src/domain/messages/send-again.js'
import { keepUpload } from '../../../src/domain/media/uploads.js'
import { FetchFailed } from '../../../src/safe-fetch.js'
import { describeContext } from '../../helpers/context.js'
import { lineForEachTest } from '../../helpers/factories.js'
import { copyMedia, copyMediaToTheEnd, mediaRow, type MediaRow } from '../../helpers/media.js'
import { startStandIn } from '../../helpers/services/stand-in.js'
import { openForSuite } from '../../helpers/suite.js'
import {
  ago,
  changeRows,
  hasMessageJob,
  messageRow,
  queueMessage,
  sendWhenDue,
  takenMessages,
  UNLIMITED,
  post as postFrom,
} from '../fixtures.js'
import { MEDIA, NO_MEDIA, pictureOf, pngOf } from '../media-samples.js'
import { expectRefusal } from '../refusal.js'

const PNG = MEDIA.picture.png!
const MPG = Buffer.concat([Buffer.from([0, 0, 1, 0xba, 0x44]), Buffer.alloc(64)])
/** Enough of one to have a size: 7 × 5. */
const JPG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
  Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1'),
  Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 5, 0, 7, 1, 1, 0x11, 0, 0xff, 0xd9]),
])

function* breakingOff() {
  yield PNG.subarray(0, 10)
  throw new Error('the connection was reset')
}

const environment = {
  // 127.0.0.2 is as private as an address can be; nothing listens there.
  ALLOWED_PRIVATE_CIDRS: '127.0.0.1/32',
}

describeContext('media that a line sends', { environment }, (context) => {
  const host = openForSuite(startStandIn)

  const line = lineForEachTest(context, UNLIMITED)
  beforeEach(async () => {
    await context.db('simulator_outbox').delete()
  })

  const post = (mediaUrl: string) => postFrom(context, line, { mediaUrl })

  /** Posts a message and copies its media to the end. */
  const postAndCopy = async (mediaUrl: string, config = context.config) => {
    const { id } = await post(mediaUrl)
    await copyMediaToTheEnd({ ...context, config }, id)
    return { id, media: await mediaRow(context, id) }
  }

  it('are kept until a day after the message was sent, however old they are', async () => {
    const { id } = await postAndCopy(host.give(PNG))
    await context.db('media').update({ stored_at: ago(context, '31 days') })
    for (const fields of [
      { status: 'scheduled' },
      { status: 'queued' },
      { status: 'sending' },
      { status: 'sent', handed_over_at: ago(context, '23 hours') },
      { status: 'unknown', handed_over_at: ago(context, '23 hours') },
    ]) {
      await changeRows(context, 'messages', id, fields)
      expect(await removeOldMedia(context), fields.status).to.equal(0)
    }
    await changeRows(context, 'messages', id, { status: 'sent', handed_over_at: ago(context, '25 hours') })
    expect(await removeOldMedia(context)).to.equal(1)
  })

  describe('are copied', () => {
    for (const [what, bytes, contentType, size] of [
      ['png', PNG, 'image/png', [1, 1]],
      ['jpg', JPG, 'image/jpeg', [7, 5]],
      ['gif', MEDIA.picture.gif!, 'image/gif', [1, 1]],
      ['mpg', MPG, 'video/mpeg', [null, null]],
      ['png of 4,999,999 bytes', pngOf(4_999_999), 'image/png', [1, 1]],
    ] as const) {
      it(`that are ${what}, whatever their name and their host call them`, async () => {
        const { id, media } = await postAndCopy(host.give(bytes, { 'Content-Type': 'text/html' }))
        expect(media).to.include({ status: 'stored', content_type: contentType, byte_count: bytes.length })
        expect([media.width, media.height]).to.deep.equal(size)
        const chunks = await (await (await getHostedMedia(context, media.token)).open()).toArray()
        expect(Buffer.concat(chunks as Buffer[]).equals(bytes)).to.be.true

        expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'sent' })
        const taken = await context.db('simulator_outbox').pluck('media_urls')
        expect(taken).to.deep.equal([[`${context.config.publicUrl}/media/${media.token}`]])
      })
    }

    it('over redirects, each judged like the first, at most five', async () => {
      let url = host.give(PNG)
      for (let hop = 1; hop <= 5; hop += 1) {
        const to = hop % 2 === 0 ? url : new URL(url).pathname
        url = host.serve((_request, response) => response.writeHead(302, { Location: to }).end())
      }
      expect((await postAndCopy(url)).media.status).to.equal('stored')
      const sixth = host.serve((_request, response) => response.writeHead(307, { Location: url }).end())
      expect((await postAndCopy(sixth)).media).to.include({ status: 'failed', failure: 'media_redirect' })
    })

    it('from our own storage, and from a phone of the simulator, without asking over HTTP', async () => {
      const { media } = await postAndCopy(await keepUpload(context, 'picture', PNG))
      expect(media.status).to.equal('stored')
      const again = await postAndCopy(`${context.config.publicUrl}/media/${media.token}`)
      expect(again.media).to.include({ status: 'stored', byte_count: PNG.length })
      const unknown = await postAndCopy(`${context.config.publicUrl}/media/${'x'.repeat(43)}`)
      expect(unknown.media).to.include({ status: 'failed', failure: 'media_gone' })
      await context.storage.remove(media.storage_key ?? '')
      const lost = await postAndCopy(`${context.config.publicUrl}/media/${media.token}`)
      expect(lost.media).to.include({ status: 'failed', failure: 'media_gone' })
    })
  })

  describe('are refused with the reason', () => {
    const serveStatus = (status: number) => () =>
      host.serve((_request, response) => response.writeHead(status).end('no'))
    const cases: [what: string, failure: string, url: () => string][] = [
      ...Object.entries(NO_MEDIA).map(
        ([what, bytes]) => [what, 'media_type', () => host.give(bytes)] as [string, string, () => string],
      ),
      ['a recording', 'media_type', () => host.give(MEDIA.recording.mp3!)],
      [
        'a page named .png',
        'media_type',
        () => host.give(NO_MEDIA['a page']!, { 'Content-Type': 'image/png' }),
      ],
      ['5,000,000 bytes', 'media_too_large', () => host.give(pngOf(5_000_000))],
      ['a png that ends early', 'media_truncated', () => host.give(PNG.subarray(0, 50))],
      ['a png that ends in its header', 'media_truncated', () => host.give(PNG.subarray(0, 20))],
      ['a jpg that ends early', 'media_truncated', () => host.give(JPG.subarray(0, 24))],
      [
        'fewer bytes than were promised',
        'media_reset',
        () =>
          host.serve((_request, response) => {
            response.writeHead(200, { 'Content-Length': '5000' }).write(PNG)
            setTimeout(() => response.destroy(), 10)
          }),
      ],
      [
        'a body that drips',
        'media_timeout',
        () =>
          host.serve((_request, response) => {
            const timer = setInterval(() => response.write(PNG.subarray(0, 1)), 10)
            response.once('close', () => {
              clearInterval(timer)
            })
          }),
      ],
      ['a host that says nothing', 'media_timeout', () => host.serve(() => undefined)],
      ['404', 'media_http_404', serveStatus(404)],
      ['204', 'media_http_204', serveStatus(204)],
      ['a partial answer', 'media_http_206', serveStatus(206)],
      ['500', 'media_http_500', serveStatus(500)],
      [
        'a redirect to a private address',
        'media_blocked_address',
        () =>
          host.serve((_request, response) =>
            response.writeHead(301, { Location: 'http://127.0.0.2/' }).end(),
          ),
      ],
      [
        'a redirect to another scheme',
        'media_invalid_url',
        () =>
          host.serve((_request, response) =>
            response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
          ),
      ],
      ['a redirect to nowhere', 'media_redirect', serveStatus(302)],
      ['a closed port', 'media_connect', () => 'http://127.0.0.1:1/a.png'],
    ]
    for (const [what, failure, url] of cases) {
      it(`${what}: ${failure}`, async () => {
        const mediaTimeoutMs = failure === 'media_timeout' ? 100 : context.config.mediaTimeoutMs
        const { id, media } = await postAndCopy(url(), { ...context.config, mediaTimeoutMs })
        expect(media).to.include({ status: 'failed', failure, storage_key: null })
        expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'failed', error: failure })
        expect(await messageRow(context, id)).to.include({ status: 'failed', error: failure })
        expect(await takenMessages(context)).to.deep.equal([])
      })
    }

    it('an endless body, of which no more than the limit is read', async () => {
      let pushed = 0
      const chunk = Buffer.alloc(256 * 1024, PNG)
      const url = host.serve((_request, response) => {
        const push = () => {
          do pushed += chunk.length
          while (response.write(chunk) && !response.destroyed)
          response.once('drain', push)
        }
        push()
      })
      expect((await postAndCopy(url)).media).to.include({ status: 'failed', failure: 'media_too_large' })
      // The limit, and what the sockets' buffers hold.
      expect(pushed).to.be.lessThan(5_000_000 + 16 * 1024 * 1024)
    })

    it('at once where the URL itself cannot be called', async () => {
      for (const [url, message] of [
        ['http://127.0.0.2/a.png', /^mediaUrl: .*not on the public internet/],
        ['http://user:secret@127.0.0.1/a.png', /^mediaUrl: /],
      ] as const) {
        await expectRefusal(post(url), 400, message)
      }
    })
  })

  it('are tried again when the failure may pass: after about 2, 6 and 18 s, and then no more', async () => {
    let count = 0
    const url = host.serve((_request, response) => {
      count += 1
      response.writeHead(503).end()
    })
    const { id } = await post(url)
    for (const ms of [2000, 6000, 18_000]) {
      const outcome = await copyMedia(context, id)
      expect(outcome).to.include({ kind: 'retry', failure: 'media_http_503' })
      expect(outcome.kind === 'retry' && outcome.ms).to.be.within(ms * 0.8, ms * 1.2)
    }
    expect(await copyMedia(context, id)).to.deep.equal({ kind: 'failed', failure: 'media_http_503' })
    expect(count).to.equal(4)
  })

  it('are copied in the end although processes that stop have cut off more attempts than there are', async () => {
    const { id } = await post(host.give(PNG))
    const { id: mediaId } = await mediaRow(context, id)
    const cut = new FetchFailed('aborted', 'cut', { requestSent: true, durationMs: 1, phases: {} })
    const stopping = { ...context, safeFetch: { ...context.safeFetch, stream: () => Promise.reject(cut) } }
    for (let n = 0; n < 5; n += 1)
      expect(await fetchMedia(stopping, mediaId)).to.include({ kind: 'retry', ms: 0 })
    expect(await fetchMedia(context, mediaId)).to.include({ kind: 'stored' })
  })

  it('hold their message back, and what comes after it to the same number, until they are there', async () => {
    const { id } = await post(host.give(PNG))
    const later = await queueMessage(context, line)
    expect(await hasMessageJob(context, id, 0)).to.be.false
    expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'without_media' })
    expect(await sendWhenDue(context, later)).to.deep.equal({ kind: 'behind' })
    expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })

    await copyMedia(context, id)
    expect(await hasMessageJob(context, id, 1)).to.be.true
    await sendWhenDue(context, id)
    expect(await hasMessageJob(context, later, 1)).to.be.true
    await sendWhenDue(context, later)
    expect(await takenMessages(context)).to.deep.equal([id, later])
  })

  it('wait while the storage breaks off what they are copied from', async () => {
    const { media } = await postAndCopy(host.give(PNG))
    const { id } = await post(`${context.config.publicUrl}/media/${media.token}`)
    const open = () => Promise.resolve(Readable.from(breakingOff()))
    const broken: Context = { ...context, storage: { ...context.storage, open } }
    const waits = { kind: 'retry', ms: 30_000, failure: 'media_unavailable' }
    expect(await copyMedia(broken, id)).to.deep.equal(waits)
    expect(await copyMedia(context, id)).to.include({ kind: 'stored' })
  })

  it('that cannot be copied give the turn to the next message to the same number', async () => {
    const { id } = await post(host.give(NO_MEDIA.text!))
    const later = await queueMessage(context, line)
    await copyMedia(context, id)
    expect(await hasMessageJob(context, id, 1)).to.be.true
    await sendWhenDue(context, id)
    expect(await hasMessageJob(context, later, 1)).to.be.true
    expect(await sendWhenDue(context, later)).to.deep.equal({ kind: 'sent' })
  })

  it('are copied anew for a message that is sent again', async () => {
    const url = host.give(NO_MEDIA.text!)
    const { id, media } = await postAndCopy(url)
    await sendWhenDue(context, id)
    const again = await sendMessageAgain(context, line.userId, id, 'key', 'console')
    const row = await mediaRow(context, again.id)
    expect(row).to.include({ status: 'pending', source_url: url, purpose: 'outbound' })
    expect(row.token).not.to.equal(media.token)
  })

  it('show their owner the URL that was given, and beside it the copy', async () => {
    const url = host.give(PNG)
    const { id } = await post(url)
    expect(await getMessage(context, line.userId, id)).to.deep.include({ mediaUrl: url, mediaUrls: [url] })
    await copyMedia(context, id)
    const { mediaUrl, media } = await getMessage(context, line.userId, id)
    expect(mediaUrl).to.equal(url)
    expect(media).to.have.length(1)
    expect(media[0]).to.include({ status: 'stored', failure: null, contentType: 'image/png', width: 1 })
  })

  describe('several in one message', () => {
    const postSeveral = (mediaUrls: string[], by: Context = context) => postFrom(by, line, { mediaUrls })
    const copies = (messageId: string) =>
      context.db('media').where({ message_id: messageId }).orderBy('id').select<MediaRow[]>()
    /** The line's carrier sends no more than this. */
    const limitedTo = (media: MediaLimits | undefined): Context => {
      const kind: CarrierKind = { ...simulator, title: 'Acme' }
      delete kind.media
      if (media !== undefined) kind.media = media
      return { ...context, carriers: { ...context.carriers, kinds: new Map([['simulator', kind]]) } }
    }

    it('are handed over in their order, when the last of them is copied', async () => {
      const urls = [PNG, JPG, MEDIA.picture.gif!].map((bytes) => host.give(bytes))
      const { id, mediaUrl, mediaUrls } = await postSeveral(urls)
      expect([mediaUrl, mediaUrls]).to.deep.equal([urls[0], urls])
      for (const media of (await copies(id)).reverse()) {
        expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'without_media' })
        await fetchMedia(context, media.id)
      }
      expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'sent' })
      const ours = (await copies(id)).map(({ token }) => `${context.config.publicUrl}/media/${token}`)
      expect(await context.db('simulator_outbox').pluck('media_urls')).to.deep.equal([ours])
      const { media } = await getMessage(context, line.userId, id)
      expect(media.map(({ contentType }) => contentType)).to.deep.equal([
        ...['image/png', 'image/jpeg', 'image/gif'],
      ])
    })

    it('fail together as soon as one of them cannot be copied', async () => {
      const { id } = await postSeveral([host.give(PNG), host.give(NO_MEDIA.text!)])
      const [, wrong] = await copies(id)
      await fetchMedia(context, wrong!.id)
      expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'failed', error: 'media_type' })
      expect(await takenMessages(context)).to.deep.equal([])
    })

    it('are refused, with the field, where the carrier of the line does not send so many', async () => {
      const url = host.give(PNG)
      for (const [media, urls, said] of [
        [undefined, [url], /^mediaUrls: Acme cannot send media/],
        [{ count: 1 }, [url, url], /^mediaUrls: Acme sends one file per message/],
        [{ count: 3 }, [url, url, url, url], /^mediaUrls: Acme sends at most 3 files per message/],
        [{ count: 20 }, Array<string>(11).fill(url), /^mediaUrls must have at most 10 URLs/],
        [{ count: 2 }, [url, 'cat.png'], /^mediaUrls\[1\] must be/],
      ] as const) {
        await expectRefusal(postSeveral([...urls], limitedTo(media)), 400, said)
      }
      expect(await context.db('messages').where({ line_id: line.lineId })).to.deep.equal([])
    })

    it('are not handed over where they are too large, or of another type, for the carrier', async () => {
      for (const [media, said] of [
        [{ count: 2, bytesEach: 1 }, 'Acme accepts files of up to 0.000001 MB. Send smaller ones'],
        [{ count: 2, bytesInTotal: PNG.length + 1 }, /^Acme accepts up to .* MB per message. Send fewer or/],
        [{ count: 2, types: ['image/gif'] }, 'Acme cannot send image/png. Send image/gif'],
        // It was accepted for another account, or before a new release.
        [undefined, 'Acme cannot send media'],
      ] as const) {
        const { id } = await postSeveral([host.give(PNG), host.give(PNG)])
        for (const each of await copies(id)) await fetchMedia(context, each.id)
        expect((await sendWhenDue(limitedTo(media), id)).kind).to.equal('failed')
        expect((await messageRow(context, id)).error).to.match(new RegExp(said))
      }
      expect(await takenMessages(context)).to.deep.equal([])
    })
  })

  it('are known by their bytes alone: a picture with something behind it goes, as programs make them', async () => {
    const { media } = await postAndCopy(host.give(Buffer.concat([PNG, Buffer.alloc(100)])))
    expect(media.status).to.equal('stored')
    expect((await postAndCopy(host.give(pictureOf(5_000_000)))).media.failure).to.equal('media_too_large')
  })
})
