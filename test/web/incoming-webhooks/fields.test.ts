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
  const accepted: Record<string, Record<string, string>> = {
    '+14155550100': {
      '+15005550199': '+15005550199',
      '+1 (500) 555-0199': '+15005550199',
      '  +15005550199\n': '+15005550199',
      '15005550199': '+15005550199',
      '(415) 555-2671': '+14155552671',
      '415.555.2672': '+14155552672',
      '4155552673': '+14155552673',
      '1-415-555-2674': '+14155552674',
      '011 44 7400 123456': '+447400123456',
      '+44 7400 123457': '+447400123457',
      '447400123458': '+447400123458',
      '+1４１５５５５２６７６': '+14155552676',
      '＋6581234567': '+6581234567',
      '6581234568': '+6581234568',
      'tel:+44-7400-123459': '+447400123459',
      'tel:555-2677;phone-context=+1-415': '+14155552677',
    },
    '+447400123001': {
      '07400 123456': '+447400123456',
      '(020) 7946 0958': '+442079460958',
      '+15005550199': '+15005550199',
      '15005550198': '+15005550198',
    },
  }

  for (const [lineNumber, numbers] of Object.entries(accepted)) {
    it(`of a line with the number ${lineNumber} may be E.164, national, or digits with a country code`, async () => {
      const line = await createLine(context, { number: lineNumber })
      for (const [written, e164] of Object.entries(numbers)) {
        expectAccepted(await web.post(line.webhookPath, messageBody({ toNumber: written, text: written })))
        const row = (await messagesOf(context, line.lineId)).at(-1)
        expect(row, written).to.include({ to_number: e164, text: written })
      }
    })
  }

  it('is refused when it cannot be a phone number, emergency numbers included', async () => {
    const line = await createLine(context, { number: '+14155550101' })
    for (const written of [
      'nobody',
      '+',
      '+1',
      '+0',
      '911',
      '112',
      '12345',
      '+1500555019',
      '+150055501999',
      '+999123456789',
      '5'.repeat(64),
      '5'.repeat(65),
      `+1${'5'.repeat(5000)}`,
      'call +14155552671',
      '+14155552671, +14155552672',
      '+14155552671 ext. 5',
      '+14155552671;ext=5',
      'tel:+14155552671;ext=5',
      'tel:14155552671;phone-context=example.com',
      '+1415555२६७x',
      '\0',
      '+14155552671\0',
      'null',
      '__proto__',
    ]) {
      expectRefused(
        await web.post(line.webhookPath, messageBody({ toNumber: written })),
        400,
        'Provided toNumber phone number cannot be parsed',
      )
    }
    expect(await messagesOf(context, line.lineId)).to.deep.equal([])
  })
})
