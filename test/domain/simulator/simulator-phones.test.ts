import { expect } from 'chai'
import {
  findConversation,
  listSimulatorLines,
  readPhones,
  suggestPhones,
} from '../../../src/domain/simulator/phones.js'
import { simulateInbound, type SimulatedInbound } from '../../../src/domain/simulator/simulator.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { ANNA, BEN, CLEO, moveToAnotherCarrier, queueMessage } from '../fixtures.js'
import { refusal } from '../refusal.js'

describeContext("the simulator's phones", (context) => {
  let line: TestLine
  let otherLine: TestLine
  let strangersLine: TestLine

  beforeEach(async () => {
    line = await createLine(context)
    otherLine = await createLine(context, { userId: line.userId })
    strangersLine = await createLine(context)
  })

  const receive = (to: TestLine, fields: Partial<SimulatedInbound> = { text: 'Hi' }) =>
    simulateInbound(context, { fromNumber: ANNA, toNumber: to.number, ...fields })
  const send = (from: TestLine, overrides: Record<string, unknown> = {}) =>
    queueMessage(context, from, { status: 'sent', sent_at: new Date(), ...overrides })
  const shown = async (number = ANNA, options = {}) => findConversation(context, line.userId, number, options)
  const texts = async (number = ANNA, options = {}) => (await shown(number, options)).map(({ text }) => text)

  describe('show', () => {
    it('what the phone sent, each in its kind, and what the line sent to it, oldest first', async () => {
      await receive(line, { text: 'Hi line' })
      await send(line, { text: 'Hi phone' })
      await receive(line, { mediaUrl: 'https://example.com/a.png' })
      await receive(line, { voicemailUrl: 'https://example.com/v.mp3' })
      const messages = await shown()
      expect(
        messages.map(({ direction, type, text, media }) => [direction, type, text, media?.status ?? null]),
      ).to.deep.equal([
        ['inbound', 'text', 'Hi line', null],
        ['outbound', 'text', 'Hi phone', null],
        ['inbound', 'media', null, 'pending'],
        ['inbound', 'voicemail', null, 'pending'],
      ])
      expect(messages[0]).to.include({ lineId: line.lineId, lineNumber: line.number, lineName: line.number })
      expect(messages[0]?.at).to.be.a('date')
    })

    it('the messages of all lines of the user in one conversation', async () => {
      await receive(line, { text: 'to the first' })
      await receive(otherLine, { text: 'to the second' })
      await send(line, { text: 'from the first' })
      expect(await texts()).to.deep.equal(['to the first', 'to the second', 'from the first'])
    })

    it('only what the carrier took of what a line sent', async () => {
      for (const status of ['queued', 'sending', 'failed', 'unknown']) {
        await send(line, { text: status, status, sent_at: null })
      }
      await send(line, { text: 'sent' })
      await send(line, { text: 'delivered', status: 'delivered' })
      expect(await texts()).to.deep.equal(['sent', 'delivered'])
    })

    it('what waited for a slot where it came to the phone, not where it was accepted', async () => {
      await send(line, { text: 'waited', sent_at: new Date(Date.now() + 60_000) })
      await receive(line, { text: 'came first' })
      expect(await texts()).to.deep.equal(['came first', 'waited'])
    })

    it("one number's messages and no other's", async () => {
      await receive(line, { text: 'of Anna' })
      await receive(line, { text: 'of Ben', fromNumber: BEN })
      await send(line, { text: 'to Ben', to_number: BEN })
      expect(await texts(ANNA)).to.deep.equal(['of Anna'])
      expect(await texts(BEN)).to.deep.equal(['of Ben', 'to Ben'])
      expect(await texts(CLEO)).to.deep.equal([])
    })

    it("never another user's messages, with the same number", async () => {
      await receive(strangersLine, { text: 'theirs' })
      await send(strangersLine, { text: 'theirs too' })
      await receive(line, { text: 'mine' })
      expect(await texts()).to.deep.equal(['mine'])
    })

    it('nothing of lines at other carriers', async () => {
      await receive(line, { text: 'real' })
      await moveToAnotherCarrier(context, line)
      await receive(otherLine, { text: 'simulated' })
      expect(await texts()).to.deep.equal(['simulated'])
      expect((await listSimulatorLines(context, line.userId)).map(({ id }) => id)).to.deep.equal([
        otherLine.lineId,
      ])
    })

    it('the newest 50, or as many as are asked for', async () => {
      for (let n = 1; n <= 30; n += 1) {
        await send(line, { text: `first ${n}` })
        await send(otherLine, { text: `second ${n}` })
      }
      const newest = await texts()
      expect(newest).to.have.length(50)
      expect([newest[0], newest.at(-1)]).to.deep.equal(['first 6', 'second 30'])
      expect(await texts(ANNA, { limit: 2 })).to.deep.equal(['first 30', 'second 30'])
    })
  })

  describe('are suggested', () => {
    const suggested = () => suggestPhones(context, line.userId)

    it('one that is free, to who has no messages', async () => {
      await receive(strangersLine)
      expect(await suggested()).to.deep.equal(['+15005550199'])
    })

    it('those that were last in touch, the latest first, three at most', async () => {
      await receive(line)
      await send(otherLine, { to_number: BEN })
      expect(await suggested()).to.deep.equal([BEN, ANNA])
      await receive(line)
      expect(await suggested()).to.deep.equal([ANNA, BEN])
      await receive(line, { text: 'Hi', fromNumber: CLEO })
      await send(line, { to_number: '+15005550104' })
      expect(await suggested()).to.deep.equal(['+15005550104', CLEO, ANNA])
    })
  })

  describe('are named', () => {
    it('as people write numbers, each once', () => {
      expect(readPhones(['+1 (500) 555-0101', '15005550101', BEN])).to.deep.equal([ANNA, BEN])
      expect(readPhones([])).to.deep.equal([])
    })

    it('by what is a number, and not without end', async () => {
      const read = async (written: string[]) => Promise.resolve(readPhones(written))
      expect(await refusal(read(['nobody']))).to.deep.equal({
        status: 400,
        message: 'phone must be a phone number, such as +15551234567',
      })
      const many = Array.from({ length: 9 }, (_, n) => `+1500555020${n}`)
      expect(readPhones(many.slice(1))).to.have.length(8)
      expect(await refusal(read(many))).to.deep.equal({
        status: 400,
        message: 'phone may be given 8 times at most',
      })
    })
  })
})
