import { expect } from 'chai'
import { httpsms } from '../../../src/carriers/httpsms/httpsms.js'
import { setUp } from '../../helpers/provider-client.js'
import { startHttpSms, type HttpSmsStandIn } from '../stand-ins/httpsms.js'

describe('the webhook at httpSMS', () => {
  let standIn: HttpSmsStandIn

  beforeEach(async () => {
    standIn = await startHttpSms()
  })
  afterEach(() => standIn.close())

  const setUpNumbers = (...numbers: string[]) => {
    const settings = httpsms.settings.cast({ ...standIn.credentials, apiUrl: standIn.url })
    return setUp(httpsms, settings, numbers)
  }

  it('keeps the phones that it had, but none that was removed from the account', async () => {
    await setUpNumbers(standIn.number)
    standIn.webhooks[0]?.phone_numbers.unshift('+18005550100')
    for (const numbers of [[], [standIn.number]]) {
      await setUpNumbers(...numbers)
      expect(standIn.webhooks.map((each) => each.phone_numbers)).to.deep.equal([[standIn.number]])
    }
    expect(standIn.violations).to.deep.equal([])
  })
})
