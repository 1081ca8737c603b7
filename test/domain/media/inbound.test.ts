import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import type { CarrierClient } from '../../../src/carriers/carrier.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../src/domain/endpoints/deliveries/held-events.js'
import { sendDeliveryAgain } from '../../../src/domain/endpoints/deliveries/send-again.js'
import { receiveMessage, type InboundMessage } from '../../../src/domain/messages/receive.js'
import { keepMedia } from '../../../src/domain/simulator/media.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, own, type TestLine } from '../../helpers/factories.js'
import { copyMedia, copyMediaToTheEnd, mediaRow } from '../../helpers/media.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { startStandIn } from '../../helpers/services/stand-in.js'
import { openForSuite } from '../../helpers/suite.js'
import { hasDeliveryJob, inboundText, withCarrier, type DeliveryRow } from '../fixtures.js'
import { MEDIA, NO_MEDIA, pictureOf, pngOf } from '../media-samples.js'
import { refusal } from '../refusal.js'

const PNG = MEDIA.picture.png!

describeContext('media that a line receives', (context) => {
  const host = openForSuite(startStandIn)
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    receiver.requests.length = 0
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  const receive = async (url: string, type: 'inboundMedia' | 'voiceMail' = 'inboundMedia') => {
    const inbound: InboundMessage = inboundText(line, { content: { type, url } })
    const outcome = await receiveMessage(context, inbound)
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    expect(outcome.deliveryCount).to.equal(0)
    return outcome.messageId
  }
  const deliveriesOf = (messageId: string) =>
    context
      .db('deliveries as d')
      .join('events as e', 'e.id', 'd.event_id')
      .where({ 'e.message_id': messageId })
      .select<DeliveryRow[]>('d.*')
  const saying = (status: number) => (_request: unknown, response: ServerResponse) =>
    response.writeHead(status).end()
  const hostedUrlOf = async (messageId: string) =>
    `${context.config.publicUrl}/media/${(await mediaRow(context, messageId)).token}`

  it('are copied before their event goes out, whose payload is our URL', async () => {
    const id = await receive(host.give(PNG))
    expect(await deliveriesOf(id)).to.deep.equal([])
    expect(await copyMedia(context, id)).to.deep.equal({ kind: 'stored', byteCount: PNG.length })
    const [delivery] = await deliveriesOf(id)
    expect(delivery).to.include({ status: 'pending', last_failure: null })
    expect(await hasDeliveryJob(context, delivery!.id, 0)).to.be.true

    await deliver(context, delivery!.id, delivery!.endpoint_id)
    const [event] = receiver.requests.map(({ body }) => JSON.parse(body) as object)
    expect(event).to.include({ type: 'inboundMedia', payload: await hostedUrlOf(id), toNumber: line.number })
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

  it('go to the endpoints of when the copy is there, and to nobody while the line is disabled', async () => {
    const id = await receive(host.give(PNG))
    await context.db('lines').where({ id: line.lineId }).update({ status: 'disabled' })
    await copyMedia(context, id)
    expect(await deliveriesOf(id)).to.deep.equal([])
  })

  it("from the simulator's phones are read where they are, wherever PUBLIC_URL leads", async () => {
    const id = await receive(await keepMedia(context, 'recording', MEDIA.recording.mp3!), 'voiceMail')
    await copyMedia(context, id)
    expect(await mediaRow(context, id)).to.include({ status: 'stored', content_type: 'audio/mpeg' })
  })

  describe('that cannot be copied', () => {
    it('are tried again for as long as deliveries are: a carrier may be down for hours', async () => {
      for (const status of [500, 403, 429]) {
        const id = await receive(host.serve(saying(status)))
        const waits: number[] = []
        for (let attempt = 1; attempt <= 9; attempt += 1) {
          const outcome = await copyMedia(context, id)
          if (outcome.kind === 'retry') waits.push(outcome.ms)
        }
        expect(
          waits.map((ms) => ms > 4000),
          `${status}`,
        ).to.deep.equal(Array(9).fill(true))
        expect(waits[0]).to.be.within(4000, 6000)
        expect(waits[8]).to.be.within(19 * 3_600_000, 29 * 3_600_000)
        expect(await copyMedia(context, id)).to.deep.equal({
          kind: 'failed',
          failure: `media_http_${status}`,
        })
      }
    })

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
      expect(await refusal(again())).to.include({ status: 409 })
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
    const { carriers } = withCarrier(context, () => Promise.reject(new Error('it sends nothing')))
    const withHeaders = {
      ...context,
      carriers: {
        ...carriers,
        get: async (...asked: Parameters<typeof carriers.get>) => ({
          ...(await carriers.get(...asked))!,
          mediaHeaders,
        }),
      },
    }
    const id = await receive(url)
    expect(await copyMediaToTheEnd(withHeaders, id)).to.include({ kind: 'stored' })
    await other.close()
    expect(seen).to.deep.equal(['Basic c2VjcmV0', undefined])
  })
})
