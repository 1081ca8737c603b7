import { expect } from 'chai'
import { openSimulatorMedia } from '../../../src/domain/simulator/media.js'
import { leaveVoicemail, sendFromPhone } from '../../../src/domain/simulator/phone-sends.js'
import { sampleRecording } from '../../../src/domain/simulator/sample-recording.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { mediaRow } from '../../helpers/media.js'
import { ANNA, countRows, moveToAnotherCarrier, type MessageRow } from '../fixtures.js'
import { MEDIA } from '../media-samples.js'
import { refusal } from '../refusal.js'

describeContext("a simulator's phone", (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
    await context.db('simulator_media').delete()
  })

  const send = (fields: Partial<Parameters<typeof sendFromPhone>[2]>) =>
    sendFromPhone(context, line.userId, {
      lineId: line.lineId,
      phone: ANNA,
      text: '',
      picture: undefined,
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
    openSimulatorMedia(context, (await mediaRow(context, message!.id)).source_url.split('/').at(-1) ?? '')

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
    await send({ picture: MEDIA.picture.gif })
    const [message] = await received()
    expect(message).to.include({ type: 'media', text: null })
    expect((await mediaOf(message)).bytes.equals(MEDIA.picture.gif!)).to.be.true
  })

  it('sends a text with a picture as two messages', async () => {
    await send({ text: 'Look', picture: MEDIA.picture.png })
    expect((await received()).map(({ type, text }) => [type, text])).to.deep.equal([
      ['media', null],
      ['text', 'Look'],
    ])
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
      expect(await countRows(context, 'simulator_media')).to.equal(0)
    })

    it('when there is nothing to send', async () => {
      expect(await refusal(send({ text: ' ' }))).to.deep.equal({
        status: 400,
        message: 'text must not be empty: type one, or attach a picture',
      })
    })

    it('when the text is longer than 1,600 characters', async () => {
      expect(await refusal(send({ text: 'x'.repeat(1601), picture: MEDIA.picture.png }))).to.deep.equal({
        status: 400,
        message: 'text must have at most 1600 characters',
      })
    })

    it('of a text whose picture is none', async () => {
      expect(await refusal(send({ text: 'Look', picture: Buffer.from('no picture') }))).to.include({
        status: 400,
      })
    })

    it("to a line that is another user's, unknown or no line at all", async () => {
      const { lineId: theirs } = await createLine(context)
      for (const lineId of [theirs, newId(), 'x', '']) {
        expect(await refusal(send({ lineId, text: 'Hi' }))).to.deep.equal({
          status: 404,
          message: 'no such line',
        })
        expect(await refusal(call({ lineId }))).to.deep.equal({ status: 404, message: 'no such line' })
      }
    })

    it('to a line at another carrier', async () => {
      await moveToAnotherCarrier(context, line)
      expect(await refusal(send({ text: 'Hi' }))).to.include({ status: 404 })
      expect(await refusal(call())).to.include({ status: 404 })
    })

    it('from what is no number', async () => {
      expect(await refusal(send({ text: 'Hi', phone: 'nobody' }))).to.deep.equal({
        status: 400,
        message: 'phone must be a phone number, such as +15551234567',
      })
      expect(await refusal(call({ phone: '' }))).to.include({ status: 400 })
    })
  })
})
