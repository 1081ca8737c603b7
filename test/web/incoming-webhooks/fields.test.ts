import { expect } from 'chai'
import { createLine, lineForEachTest, messageBody } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

const MISSING = 'JSON data field must contain a toNumber and text to send'
const OPTED_OUT = 'Recipient has opted out'
const NOT_ALLOWED = 'Destination is not allowed'

describeWeb('toNumber and text', ({ context, web }) => {
  const line = lineForEachTest(context)

  const send = (data: Record<string, unknown>, of = line) => web.post(of.webhookPath, messageBody(data))
  const sendText = (text: string) => send({ text, toNumber: newNumber() })
  const sendTo = (toNumber: string, of = line) => send({ toNumber }, of)

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

  it('a recipient that has opted out is refused from STOP until START', async () => {
    const number = newNumber()
    const writeIn = (text: string) =>
      web.post('/simulator/inbound', { fromNumber: number, toNumber: line.number, text })
    expectAccepted(await sendTo(number))
    await writeIn('STOP')
    expectRefused(await sendTo(number), 403, OPTED_OUT)
    await writeIn('What is this?')
    expectRefused(await sendTo(number), 403, OPTED_OUT)
    await writeIn('START')
    expectAccepted(await sendTo(number))
  })

  describe('a recipient that the line may not send to', () => {
    const ABROAD = ['+447400123456', '+4915112345678', '+18765550123']

    it('is in none of the countries that the line is allowed, if any are listed', async () => {
      const american = await createLine(context, { number: '+14155550110', allowedCountries: ['US', 'ca'] })
      expectAccepted(await sendTo('+14155552671', american))
      expectAccepted(await sendTo('+16135550123', american))
      // Other countries, one of them of the same country code, and a number of no country.
      for (const number of [...ABROAD, '+883510012345'])
        expectRefused(await sendTo(number, american), 403, NOT_ALLOWED)
      for (const number of ABROAD) expectAccepted(await sendTo(number))
    })

    it('is a premium number, whatever countries are allowed', async () => {
      const british = await createLine(context, { number: '+447400123002', allowedCountries: ['GB', 'US'] })
      for (const number of ['+19002345678', '+449098790000']) {
        expectRefused(await sendTo(number), 403, NOT_ALLOWED)
        expectRefused(await sendTo(number, british), 403, NOT_ALLOWED)
      }
    })

    it('is the line itself, however its number is written', async () => {
      const itself = await createLine(context, { number: '+14155550111' })
      for (const number of ['+14155550111', '(415) 555-0111', '14155550111'])
        expectRefused(await sendTo(number, itself), 403, NOT_ALLOWED)
    })
  })
})
