import * as theirPackage from 'android-sms-gateway'
import { smsgate } from '../../../src/carriers/smsgate/smsgate.js'
import { expectSameReading } from '../both-sides.js'
import { startSmsGate, type SmsGateStandIn } from '../stand-ins/smsgate.js'

/** The package leaves it to its user how a request is made. */
const http = {
  post: async (url: string, body: unknown, headers?: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: headers ?? {} })
    return answer.json()
  },
} as theirPackage.HttpClient

/** The package is written as a module, and says in package.json that it is none. */
const Client = theirPackage.default as unknown as typeof theirPackage.default.default

describe('the own package of SMS Gateway for Android', () => {
  let standIn: SmsGateStandIn

  beforeEach(async () => {
    standIn = await startSmsGate()
  })
  afterEach(() => standIn.close())

  it('sends so that the stand-in reads the same from it and from us', async () => {
    const { username = '', password = '' } = standIn.credentials
    const settings = smsgate.settings.cast({ ...standIn.credentials, apiUrl: standIn.apiUrl })
    const theirs = new Client(username, password, http, standIn.apiUrl)
    // The phone sends, so a request has no number of the sender.
    const same = ['to', 'text', 'mediaUrls'] as const
    const send = async ({ to, text }: { to: string; text: string }) => {
      const { id } = await theirs.send({ phoneNumbers: [to], message: text }, { skipPhoneValidation: true })
      return id
    }
    await expectSameReading(standIn, smsgate, settings, send, same)
  })
})
