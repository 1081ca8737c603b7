import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
  type MediaToSend,
  type OutboundMessage,
} from '../../src/carriers/carrier.js'
import { newId } from '../../src/ids.js'
import { failure } from '../helpers/failure.js'

/** A message that brings its carrier into the situation; everything else is as in `anyMessage`. */
type Situation = Partial<OutboundMessage>

/** A carrier and its other side, made for one test. */
export interface CarrierUnderTest {
  carrier: CarrierClient
  /** What the other side has taken, in any order. */
  taken(): Promise<Taken[]>
  situations: {
    rejected: Situation
    throttled: Situation
    unavailable: Situation
    outcomeUnknown: Situation
    neverAnswers: Situation
    /** The first two once more, when the carrier takes the message after all. */
    throttledNoMore: Situation
    unavailableNoMore: Situation
  }
  close(): Promise<void>
}

/** Numbers for a stand-in that can tell the situations by who is written to. */
export const NUMBERS = {
  rejected: '+15005550001',
  throttled: '+15005550002',
  unavailable: '+15005550003',
  outcomeUnknown: '+15005550004',
  neverAnswers: '+15005550005',
}
const TAKES = '+15005550006'

export const BY_NUMBER: CarrierUnderTest['situations'] = {
  rejected: { toNumber: NUMBERS.rejected },
  throttled: { toNumber: NUMBERS.throttled },
  throttledNoMore: { toNumber: TAKES },
  unavailable: { toNumber: NUMBERS.unavailable },
  unavailableNoMore: { toNumber: TAKES },
  outcomeUnknown: { toNumber: NUMBERS.outcomeUnknown },
  neverAnswers: { toNumber: NUMBERS.neverAnswers },
}

interface Taken {
  carrierMessageId: string
  messageId: string
  fromNumber: string
  toNumber: string
  text: string | null
  mediaUrls: readonly string[]
}

export function anyMessage(overrides: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: newId(),
    fromNumber: '+15550000001',
    toNumber: '+15005550199',
    text: 'Hello',
    media: [],
    attempt: 1,
    ageMs: 10,
    ...overrides,
  }
}

export function pictureAt(url: string): MediaToSend {
  return { url, contentType: 'image/png', byteCount: 1000 }
}

/**
 * What every implementation of `CarrierClient` keeps to, so that the domain may rely on it.
 *
 * @param mostMedia how many one message has
 * @param isOneAtATime true if nothing else is sent while a message has no answer
 */
export function conformsToCarrier(
  name: string,
  create: () => Promise<CarrierUnderTest>,
  { mostMedia = 10, isOneAtATime = false } = {},
): void {
  describe(`${name} as a carrier`, () => {
    let under: CarrierUnderTest
    const forEver = () => new AbortController().signal
    const send = (message: OutboundMessage, signal: AbortSignal = forEver()) =>
      under.carrier.send(message, signal)

    before(async () => {
      under = await create()
    })

    after(() => under.close())

    async function takenOf({ id }: OutboundMessage): Promise<Taken[]> {
      return (await under.taken()).filter(({ messageId }) => messageId === id)
    }

    it('has its name', () => {
      expect(under.carrier.name).to.equal(name)
    })

    for (const [kind, content] of [
      ['text', { text: 'Zoë said "hi" 🙂\n', mediaUrls: [] }],
      ['media', { text: null, mediaUrls: ['https://media.example.com/a.png?x=1'] }],
      ['text and media', { text: 'Look', mediaUrls: ['https://media.example.com/a.png'] }],
      [
        'several media',
        { text: 'All', mediaUrls: ['https://media.example.com/b.png', 'https://media.example.com/a.png'] },
      ],
    ] as const) {
      it(`takes a message of ${kind} once, as it is`, async () => {
        // Whatever is beyond the limits of its kind is not handed to it.
        if (content.mediaUrls.length > mostMedia) return
        const message = anyMessage({ text: content.text, media: content.mediaUrls.map(pictureAt) })
        const { carrierMessageId } = await send(message)
        const { id: messageId, fromNumber, toNumber } = message
        expect(await takenOf(message)).to.deep.equal([
          { carrierMessageId, messageId, fromNumber, toNumber, ...content },
        ])
      })
    }

    it('gives each of many messages at once an id that no other has', async () => {
      const messages = Array.from({ length: 50 }, () => anyMessage())
      const sent = await Promise.all(messages.map((message) => send(message)))
      const ids = sent.map(({ carrierMessageId }) => carrierMessageId)
      expect(new Set(ids).size).to.equal(50)
      for (const id of ids) expect(id).to.be.a('string').that.is.not.empty
      for (const [index, message] of messages.entries()) {
        expect((await takenOf(message))[0]?.carrierMessageId).to.equal(ids[index])
      }
    })

    it('rejects for good with a reason that may be shown, and has taken nothing', async () => {
      const message = anyMessage(under.situations.rejected)
      const error = await failure(send(message))
      expect(error).to.be.instanceOf(CarrierRejected)
      expect(error).to.have.property('reason').that.is.not.empty
      expect(error).to.have.property('reason').that.does.not.contain(message.toNumber)
      expect(await takenOf(message)).to.deep.equal([])
    })

    it('asks to wait for a time above zero, has taken nothing, and takes the message after it', async () => {
      const message = anyMessage(under.situations.throttled)
      const error = await failure(send(message))
      expect(error).to.be.instanceOf(CarrierThrottled)
      expect(error).to.have.property('retryInMs').that.is.within(1, 3_600_000)
      expect(await takenOf(message)).to.deep.equal([])
      await send({ ...message, ...under.situations.throttledNoMore })
      expect(await takenOf(message)).to.have.length(1)
    })

    it('is unavailable only when it has certainly taken nothing, and takes the message later', async () => {
      const message = anyMessage(under.situations.unavailable)
      expect(await failure(send(message))).to.be.instanceOf(CarrierUnavailable)
      expect(await takenOf(message)).to.deep.equal([])
      await send({ ...message, ...under.situations.unavailableNoMore })
      expect(await takenOf(message)).to.have.length(1)
    })

    it('says that it does not know when it does not know', async () => {
      const error = await failure(send(anyMessage(under.situations.outcomeUnknown)))
      expect(error).to.be.instanceOf(CarrierOutcomeUnknown)
    })

    it('does not know the outcome when its signal ends the wait for an answer', async () => {
      const waiting = new AbortController()
      let isOver = false
      const sending = failure(send(anyMessage(under.situations.neverAnswers), waiting.signal)).finally(() => {
        isOver = true
      })
      if (isOneAtATime) await sleep(200)
      else await send(anyMessage())
      expect(isOver, 'it waits until then').to.be.false
      waiting.abort()
      expect(await sending).to.be.instanceOf(CarrierOutcomeUnknown)
    })

    it('finds nothing wrong with an account that works, and sends nothing to see it', async () => {
      const before = (await under.taken()).length
      expect(await under.carrier.test(forEver())).to.equal(undefined)
      expect(await under.taken()).to.have.length(before)
    })

    it('does not wait at all for an answer when its signal has ended before', async () => {
      const error = await failure(send(anyMessage(under.situations.neverAnswers), AbortSignal.abort()))
      expect(error).to.be.instanceOf(CarrierOutcomeUnknown)
    })
  })
}
