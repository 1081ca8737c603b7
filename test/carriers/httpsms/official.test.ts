import HttpSms from 'httpsms'
import { httpsms } from '../../../src/carriers/httpsms/httpsms.js'
import { expectSameReading } from '../both-sides.js'
import { startHttpSms, type HttpSmsStandIn } from '../stand-ins/httpsms.js'

describe("httpSMS's own package", () => {
  let standIn: HttpSmsStandIn

  beforeEach(async () => {
    standIn = await startHttpSms()
  })
  afterEach(() => standIn.close())

  it('sends what the stand-in reads the same way as what we send', async () => {
    const { apiKey = '' } = standIn.credentials
    const settings = httpsms.settings.cast({ apiKey, apiUrl: standIn.url })
    const theirs = new HttpSms(apiKey, standIn.url)
    await expectSameReading(standIn, httpsms, settings, async ({ from, to, text }) => {
      const { id } = await theirs.messages.postSend({ from, to, content: text, encrypted: false })
      return id
    })
  })
})
