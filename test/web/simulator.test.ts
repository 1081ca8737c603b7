import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { carrierOf } from '../helpers/carrier.js'
import { newId } from '../../src/ids.js'
import { createSafeFetch } from '../../src/safe-fetch.js'
import { MEDIA } from '../domain/media-samples.js'
import { lineForEachTest } from '../helpers/factories.js'
import { copyMediaToTheEnd, mediaRow } from '../helpers/media.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { describeWeb } from '../helpers/web/web.js'
import { expectProblem } from './v1/support.js'

const NOTHING_ALLOWED = { allowHttp: true, allowedPrivateCidrs: [] }

describeWeb('/simulator', ({ context, web }) => {
  const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:9/events' })

  const inbound = (overrides: Record<string, unknown> = {}) =>
    web.post('/simulator/inbound', {
      fromNumber: '+15005550199',
      toNumber: line.number,
      text: 'Hi',
      ...overrides,
    })
  const rows = (table: string) =>
    context.db(table).where({ line_id: line.lineId }).select<Record<string, unknown>[]>()

  describe('/inbound', () => {
    it('delivers a text to a line once: a message, an event and their IDs in the response', async () => {
      const sent = { text: 'Hello line', messageId: newId() }
      const answer = await inbound(sent)
      expect(answer.status).to.equal(200)
      expect((await inbound(sent)).body).to.deep.equal({ kind: 'repeat' })
      const [message, ...others] = await rows('messages')
      expect(others).to.deep.equal([])
      expect(answer.body).to.deep.equal({ kind: 'received', messageId: message?.id, deliveryCount: 1 })
      expect(message).to.include({
        direction: 'inbound',
        status: 'received',
        from_number: '+15005550199',
        to_number: line.number,
        text: 'Hello line',
      })
      expect((await rows('events'))[0]).to.include({ type: 'inboundText', payload: 'Hello line' })
    })

    for (const [field, type, event] of [
      ['mediaUrl', 'image/png', 'inboundMedia'],
      ['voicemailUrl', 'audio/wav', 'voiceMail'],
    ] as const) {
      it(`takes a ${field} on this machine, which is called only where such addresses may be`, async () => {
        const file = field === 'mediaUrl' ? MEDIA.picture.png! : MEDIA.recording.wav!
        const host = await startReceiver()
        host.answerWith((response) => response.end(file))
        const guarded: Context = { ...context, safeFetch: createSafeFetch(NOTHING_ALLOWED) }
        try {
          for (const name of ['localhost', '127.0.0.1']) {
            const url = `http://${name}:${host.port}/file`
            for (const [where, media] of [
              [context, { status: 'stored', content_type: type, failure: null }],
              [guarded, { status: 'failed', content_type: null, failure: 'media_blocked_address' }],
            ] as const) {
              const { status, body } = await inbound({ text: undefined, [field]: url })
              expect(status).to.equal(200)
              const { messageId } = body as { messageId: string }
              await copyMediaToTheEnd(where, messageId)
              expect(await mediaRow(context, messageId)).to.include(media)
            }
          }
          expect(host.requests).to.have.length(2)
          expect((await rows('events'))[0]).to.include({ type: event })
        } finally {
          await guarded.safeFetch.close()
          await host.close()
        }
      })
    }

    it('answers 404 for a number of no line', async () => {
      expectProblem(await inbound({ toNumber: '+15005550666' }), 404, /toNumber is not a simulator line/)
    })

    for (const [field, values] of Object.entries({
      fromNumber: [undefined, null, '', 'nobody', 15005550199, ['+15005550199'], {}],
      toNumber: [undefined, null, '', 'nobody', '+1', true],
      text: [null, 7, ['Hi'], 'x'.repeat(10_001)],
      mediaUrl: [
        null,
        7,
        'no URL',
        'ftp://a.example/a.png',
        'file:///etc/passwd',
        'http://',
        `https://a.example/${'x'.repeat(2048)}`,
      ],
      voicemailUrl: [null, {}, '/voice.mp3', 'http:a.example/voice.mp3', ' http://a.example/'],
      messageId: [null, 7, 'x'.repeat(256), 'a\0b'],
    })) {
      it(`names ${field} when it is wrong`, async () => {
        for (const value of values) {
          expectProblem(await inbound({ [field]: value }), 400, new RegExp(`\\b${field}\\b`))
        }
        expect(await rows('messages')).to.deep.equal([])
      })
    }

    it('names every wrong field at once', async () => {
      const { body } = await inbound({ fromNumber: undefined, toNumber: 7, text: null })
      expect((body as { detail: string }).detail).to.match(/fromNumber.*; .*toNumber.*; .*text|text.*;/)
    })

    it('requires a text, media or both, or only a voicemail', async () => {
      const url = 'https://media.example/a.png'
      for (const fields of [{ text: undefined }, { text: '' }, { voicemailUrl: url }]) {
        expectProblem(await inbound(fields), 400, /Give text, mediaUrl .* or voicemailUrl alone/)
      }
      expectProblem(
        await inbound({ mediaUrl: url, mediaUrls: [url] }),
        400,
        /mediaUrl or mediaUrls, not both/,
      )
      for (const mediaUrls of [[], [7], ['ftp://a.example/a.png'], url])
        expectProblem(await inbound({ mediaUrls }), 400, /mediaUrls/)
    })

    it('wants a JSON object of at most 64 KiB', async () => {
      expectProblem(await web.post('/simulator/inbound', '[]'), 400, /JSON object/)
      expectProblem(await web.post('/simulator/inbound', ''), 400, /JSON object/)
      expectProblem(await web.post('/simulator/inbound', 'x'.repeat(70_000)), 413, /64 KiB/)
    })
  })

  describe('/outbox', () => {
    const take = async (toNumber: string, text: string) =>
      (await carrierOf(context)).send(
        {
          id: newId(),
          fromNumber: line.number,
          toNumber,
          text,
          media: [],
          attempt: 1,
          ageMs: 0,
        },
        AbortSignal.timeout(60_000),
      )
    const texts = async (query: string) =>
      ((await web.request(`/simulator/outbox${query}`)).body as { text: string }[]).map(({ text }) => text)

    it('lists the messages that the simulator accepted, newest first, for all numbers or one', async () => {
      await take('+15005550301', 'first')
      await take('+15005550302', 'second')
      await take('+15005550301', 'third')
      expect(await texts('')).to.deep.equal(['third', 'second', 'first'])
      expect(await texts('?toNumber=%2B15005550301')).to.deep.equal(['third', 'first'])
      expect(await texts('?toNumber=+15005550302')).to.deep.equal(['second'])
      expect(await texts('?toNumber=')).to.have.length(3)
    })

    it('names toNumber when it is no number, or two', async () => {
      for (const query of ['toNumber=nobody', 'toNumber=%00', 'toNumber=1&toNumber=2']) {
        expectProblem(await web.request(`/simulator/outbox?${query}`), 400, /toNumber/)
      }
    })
  })
})
