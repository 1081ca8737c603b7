import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, newNumber } from '../support.js'

const OPTED_OUT = 'Recipient has opted out'
const NOT_ALLOWED = 'Destination is not allowed'

describeWeb('a recipient', ({ context, web }) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
  })

  const send = (toNumber: string, of = line) => web.post(of.webhookPath, messageBody({ toNumber }))
  const writeIn = (fromNumber: string, text: string, of = line) =>
    web.post('/simulator/inbound', { fromNumber, toNumber: of.number, text })

  describe('that has opted out', () => {
    it('is refused from STOP until START', async () => {
      const number = newNumber()
      expectAccepted(await send(number))
      await writeIn(number, 'STOP')
      expectRefused(await send(number), 403, OPTED_OUT)
      await writeIn(number, 'What is this?')
      expectRefused(await send(number), 403, OPTED_OUT)
      await writeIn(number, 'START')
      expectAccepted(await send(number))
    })

    it('is known however the number is written', async () => {
      await writeIn('15005550177', 'STOP')
      expectRefused(await send('+1 (500) 555-0177'), 403, OPTED_OUT)
    })

    it('has opted out of one line', async () => {
      const number = newNumber()
      await writeIn(number, 'STOP')
      expectAccepted(await send(newNumber()))
      expectAccepted(await send(number, await createLine(context)))
    })
  })

  describe('that the line may not send to', () => {
    it('is in none of the countries that the line is allowed', async () => {
      line = await createLine(context, { number: '+14155550110', allowedCountries: ['US', 'ca'] })
      expectAccepted(await send('+14155552671'))
      expectAccepted(await send('+16135550123'))
      // Another country, one of the same country code, and a number of no country.
      for (const number of ['+447400123456', '+18765550123', '+883510012345']) {
        expectRefused(await send(number), 403, NOT_ALLOWED)
      }
    })

    it('is nobody where no countries are listed', async () => {
      for (const number of ['+447400123456', '+4915112345678', '+18765550123']) {
        expectAccepted(await send(number))
      }
    })

    it('is a premium number, whatever countries are allowed', async () => {
      const british = await createLine(context, { number: '+447400123002', allowedCountries: ['GB', 'US'] })
      for (const number of ['+19002345678', '+449098790000']) {
        expectRefused(await send(number), 403, NOT_ALLOWED)
        expectRefused(await send(number, british), 403, NOT_ALLOWED)
      }
    })

    it('is the line itself, however its number is written', async () => {
      line = await createLine(context, { number: '+14155550111' })
      for (const number of ['+14155550111', '(415) 555-0111', '14155550111']) {
        expectRefused(await send(number), 403, NOT_ALLOWED)
      }
    })
  })
})
