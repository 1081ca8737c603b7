import { expect } from 'chai'
import {
  findConversation,
  listSimulatorLines,
  readPhones,
  suggestPhones,
} from '../../../src/domain/simulator/phones.js'
import { simulateInbound, type SimulatedInbound } from '../../../src/domain/simulator/simulator.js'
import { openUpload } from '../../../src/domain/media/uploads.js'
import { leaveVoicemail, sendFromPhone } from '../../../src/domain/simulator/phone-sends.js'
import { sampleRecording } from '../../../src/domain/simulator/sample-recording.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine } from '../../helpers/factories.js'
import { mediaRow } from '../../helpers/media.js'
import { expectRefusal } from '../refusal.js'
import {
  ANNA,
  BEN,
  CLEO,
  moveToAnotherCarrier,
  queueMessage,
  countRows,
  type MessageRow,
} from '../fixtures.js'
import { MEDIA } from '../media-samples.js'

describeContext("the simulator's phones", (context) => {
  let otherLine: TestLine
  let strangersLine: TestLine

  const line = lineForEachTest(context)
  beforeEach(async () => {
    otherLine = await createLine(context, { userId: line.userId })
    strangersLine = await createLine(context)
  })

  const receive = (to: TestLine, fields: Partial<SimulatedInbound> = { text: 'Hi' }) =>
    simulateInbound(context, { fromNumber: ANNA, toNumber: to.number, ...fields })
  // By the clock that gives what is received its time, of which a Date has the milliseconds only.
  const send = (from: TestLine, overrides: Record<string, unknown> = {}) =>
    queueMessage(context, from, {
      ...{ status: 'sent', sent_at: context.db.raw('clock_timestamp()') },
      ...overrides,
    })
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
        messages.map(({ direction, type, text, media }) => [direction, type, text, media[0]?.status ?? null]),
      ).to.deep.equal([
        ['inbound', 'text', 'Hi line', null],
        ['outbound', 'text', 'Hi phone', null],
        ['inbound', 'media', null, 'pending'],
        ['inbound', 'voicemail', null, 'pending'],
      ])
      expect(messages[0]).to.include({
        lineId: line.lineId,
        lineNumber: line.number,
        lineName: line.number,
      })
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
      await expectRefusal(read(['nobody']), 400, 'phone must be a phone number, such as +15551234567')
      const many = Array.from({ length: 9 }, (_, n) => `+1500555020${n}`)
      expect(readPhones(many.slice(1))).to.have.length(8)
      await expectRefusal(read(many), 400, 'phone can be given at most 8 times')
    })
  })

  describe("a simulator's phone", () => {
    beforeEach(async () => {
      await context.db('uploads').delete()
    })

    const send = (fields: Partial<Parameters<typeof sendFromPhone>[2]>) =>
      sendFromPhone(context, line.userId, {
        lineId: line.lineId,
        phone: ANNA,
        text: '',
        pictures: [],
        ...fields,
      })
    const call = (fields: Partial<Parameters<typeof leaveVoicemail>[2]> = {}) =>
      leaveVoicemail(context, line.userId, {
        lineId: line.lineId,
        phone: ANNA,
        recording: undefined,
        ...fields,
      })
    const received = () =>
      context
        .db('messages')
        .where({ line_id: line.lineId })
        .orderBy('id')
        .select<(MessageRow & { type: string })[]>()
    const mediaOf = async (message: MessageRow | undefined) =>
      openUpload(context, (await mediaRow(context, message!.id)).source_url.split('/').at(-1) ?? '')

    it('sends a text to the line, as it was typed', async () => {
      await send({ text: ' Hello <b>line</b> ', phone: '+1 500 555-0101' })
      expect(await received()).to.have.length(1)
      expect((await received())[0]).to.include({
        type: 'text',
        direction: 'inbound',
        from_number: ANNA,
        to_number: line.number,
        text: ' Hello <b>line</b> ',
      })
    })

    it('sends a picture, which the simulator hosts', async () => {
      await send({ pictures: [MEDIA.picture.gif!] })
      const [message] = await received()
      expect(message).to.include({ type: 'media', text: null })
      expect((await mediaOf(message)).bytes.equals(MEDIA.picture.gif!)).to.be.true
    })

    it('sends a text with a picture as one message', async () => {
      await send({ text: 'Look', pictures: [MEDIA.picture.png!] })
      expect((await received()).map(({ type, text }) => [type, text])).to.deep.equal([['media', 'Look']])
    })

    it('leaves a voicemail', async () => {
      await call({ recording: MEDIA.recording.mp3 })
      const [message] = await received()
      expect(message).to.include({ type: 'voicemail', text: null })
      expect(await mediaOf(message)).to.include({ contentType: 'audio/mpeg' })
    })

    it('leaves a sample without a recording at hand', async () => {
      await call()
      const media = await mediaOf((await received())[0])
      expect(media.contentType).to.equal('audio/wav')
      expect(media.bytes.equals(sampleRecording())).to.be.true
    })

    describe('sends nothing', () => {
      afterEach(async () => {
        expect(await received()).to.deep.equal([])
        expect(await countRows(context, 'uploads')).to.equal(0)
      })

      it('when there is nothing to send', async () => {
        await expectRefusal(send({ text: ' ' }), 400, 'text is required unless you attach a picture')
      })

      it('when the text is longer than 1,600 characters', async () => {
        const refused = send({ text: 'x'.repeat(1601), pictures: [MEDIA.picture.png!] })
        await expectRefusal(refused, 400, 'text must have at most 1600 characters')
      })

      it('of a text whose picture is none', async () => {
        await expectRefusal(send({ text: 'Look', pictures: [Buffer.from('no picture')] }), 400)
      })

      it("to a line that is another user's, unknown or no line at all", async () => {
        const { lineId: theirs } = await createLine(context)
        for (const lineId of [theirs, newId(), 'x', '']) {
          await expectRefusal(send({ lineId, text: 'Hi' }), 404, 'No such line')
          await expectRefusal(call({ lineId }), 404, 'No such line')
        }
      })

      it('to a line at another carrier', async () => {
        await moveToAnotherCarrier(context, line)
        await expectRefusal(send({ text: 'Hi' }), 404)
        await expectRefusal(call(), 404)
      })

      it('from what is no number', async () => {
        const refused = send({ text: 'Hi', phone: 'nobody' })
        await expectRefusal(refused, 400, 'phone must be a phone number, such as +15551234567')
        await expectRefusal(call({ phone: '' }), 400)
      })
    })
  })
})
