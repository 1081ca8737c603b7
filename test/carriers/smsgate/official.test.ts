import * as theirPackage from 'android-sms-gateway'
import { smsgate } from '../../../src/carriers/smsgate/smsgate.js'
import { expectSameReading } from '../both-sides.js'
import { startSmsGate, type SmsGateStandIn } from '../stand-ins/smsgate.js'

/** The package lets its user choose how requests are made. */
const http = {
  post: async (url: string, body: unknown, headers?: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: headers ?? {} })
    return answer.json()
  },
} as theirPackage.HttpClient

/** The package is written as a module, but its package.json says that it is not one. */
const Client = theirPackage.default as unknown as typeof theirPackage.default.default

describe("SMS Gateway for Android's own package", () => {
  let standIn: SmsGateStandIn

  beforeEach(async () => {
    standIn = await startSmsGate()
  })
  afterEach(() => standIn.close())

  it('sends what the stand-in reads the same way as what we send', async () => {
    const { username = '', password = '' } = standIn.credentials
    const settings = smsgate.settings.cast({ ...standIn.credentials, apiUrl: standIn.apiUrl })
    const theirs = new Client(username, password, http, standIn.apiUrl)
    // The phone sends, so a request does not contain the sender's number.
    const same = ['to', 'text', 'mediaUrls'] as const
    const send = async ({ to, text }: { to: string; text: string }) => {
      const { id } = await theirs.send({ phoneNumbers: [to], message: text }, { skipPhoneValidation: true })
      return id
    }
    await expectSameReading(standIn, smsgate, settings, send, same)
  })
})
