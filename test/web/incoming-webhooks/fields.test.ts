import { expect } from 'chai'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

const MISSING = 'JSON data field must contain a toNumber and text to send'

describeWeb('toNumber and text', ({ context, web }) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
  })

  const send = (data: Record<string, unknown>) => web.post(line.webhookPath, messageBody(data))
  const sendText = (text: string) => send({ text, toNumber: newNumber() })

  for (const field of ['toNumber', 'text']) {
    it(`${field} must be there, be a string and say something`, async () => {
      const blanks = ['', ' ', '\t\r\n', '\u00a0\u2003', '\ufeff']
      const others: unknown[] = [
        undefined,
        null,
        0,
        15005550199,
        true,
        [],
        ['+15005550199'],
        {},
        { toString: 'x' },
      ]
      for (const value of [...blanks, ...others]) {
        expectRefused(await send({ [field]: value }), 400, MISSING)
      }
    })
  }

  it('a text may have 1,600 characters and no more', async () => {
    expectAccepted(await sendText('x'.repeat(1600)))
    expectRefused(await sendText('x'.repeat(1601)), 400, 'Text is too long')
  })

  it('an emoji is one character', async () => {
    expectAccepted(await sendText('😀'.repeat(1600)))
    expectRefused(await sendText(`${'😀'.repeat(1600)}!`), 400, 'Text is too long')
    const [message] = await messagesOf(context, line.lineId)
    expect(message?.text).to.equal('😀'.repeat(1600))
  })

  it('a text is kept as it is written, white space and all', async () => {
    const text = '  "Grüße"\n\t— ‘日本語’ \\ $1 ? {} \u0001 👩‍👩‍👧 '
    expectAccepted(await sendText(text))
    expect((await messagesOf(context, line.lineId))[0]?.text).to.equal(text)
  })

  it('a text with NUL is refused, and the requests beside it are not', async () => {
    const answers = await Promise.all([sendText('before'), sendText('a\0b'), sendText('after')])
    expectAccepted(answers[0])
    expectRefused(answers[1], 400, 'Text contains a NUL character, which cannot be sent')
    expectAccepted(answers[2])
  })

  it('half a surrogate pair is kept as a replacement character, and the requests beside it are not harmed', async () => {
    const answers = await Promise.all([sendText('before'), sendText('a\ud83d'), sendText('\ude00b')])
    answers.forEach(expectAccepted)
    const texts = (await messagesOf(context, line.lineId)).map(({ text }) => text)
    expect(texts).to.have.members(['before', 'a\ufffd', '\ufffdb'])
  })
})

describeWeb('toNumber', ({ context, web }) => {
  for (const [lineNumber, written, e164] of [
    ['+14155550100', '(415) 555-2671', '+14155552671'],
    ['+447400123001', '07400 123456', '+447400123456'],
  ] as const) {
    it(`is read as people write it where the line ${lineNumber} is, and refused when it cannot be one`, async () => {
      const line = await createLine(context, { number: lineNumber })
      const send = (toNumber: string) => web.post(line.webhookPath, messageBody({ toNumber }))
      expectAccepted(await send(written))
      expectRefused(await send('911'), 400, 'Provided toNumber phone number cannot be parsed')
      expect((await messagesOf(context, line.lineId)).map((row) => row.to_number)).to.deep.equal([e164])
    })
  }
})
