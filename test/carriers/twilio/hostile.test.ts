import { expect } from 'chai'
import {
  CarrierOutcomeUnknown,
  CarrierRefused,
  CarrierRejected,
  type CarrierClient,
} from '../../../src/carriers/carrier.js'
import { HOSTILITIES, startHostileServer } from '../../helpers/services/hostile-servers.js'
import { openForSuite } from '../../helpers/suite.js'
import { createTestTwilio } from './carrier.js'

/** After a while without an answer the caller gives up. */
const PATIENCE_MS = 3000

describe('Twilio, when its API closes and lies', () => {
  const server = openForSuite(startHostileServer)
  let carrier: CarrierClient
  let close: () => Promise<void>

  before(() => {
    ;({ carrier, close } = createTestTwilio(server.origin))
  })
  after(async () => {
    await close()
  })

  // mocha fails a test for what is thrown outside of its promises.
  for (const [what, behave] of HOSTILITIES) {
    it(`does not know what became of a message, and says so, when it ${what}`, async () => {
      server.behave(behave)
      const signal = () => AbortSignal.timeout(PATIENCE_MS)
      const message = {
        id: '01980000-0000-7000-8000-000000000002',
        fromNumber: '+15005550006',
        toNumber: '+15005550199',
        text: 'hello',
        media: [],
        attempt: 1,
        ageMs: 0,
      }
      const [sending, testing, ...listing] = await Promise.allSettled([
        carrier.send(message, signal()),
        carrier.test(signal()),
        carrier.listNumbers?.(signal()),
        firstReceived(carrier, signal()),
      ])
      expect(sending.status).to.equal('rejected')
      const reason: unknown = (sending as PromiseRejectedResult).reason
      // Only a whole answer of Twilio's may say that it was not taken.
      expect(reason, String(reason))
        .to.be.instanceOf(CarrierOutcomeUnknown)
        .and.not.instanceOf(CarrierRejected)
      expect(testing.status === 'fulfilled' && testing.value).to.be.a('string')
      for (const list of listing) {
        expect((list as PromiseRejectedResult).reason).to.be.instanceOf(CarrierRefused)
      }
    })
  }
})

async function firstReceived(carrier: CarrierClient, signal: AbortSignal): Promise<unknown> {
  for await (const batch of carrier.listReceived?.(['+15005550006'], new Date(0), signal) ?? []) return batch
  return undefined
}
