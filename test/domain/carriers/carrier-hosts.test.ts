import { expect } from 'chai'
import { startSmsc, type Smsc } from '../../../dev/smsc/server.js'
import { addCarrierAccount, getCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { testCarrierAccount } from '../../../src/domain/carriers/accounts/carrier-test.js'
import type { Context } from '../../../src/domain/context.js'
import { holdAccounts } from '../../../src/domain/carriers/held-accounts/holder.js'
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio, type TwilioStandIn } from '../../carriers/twilio/stand-in.js'
import { createTestContext } from '../../helpers/context.js'
import { memoryLog } from '../../helpers/process/log.js'
import { until } from '../../helpers/until.js'

describe("carrier accounts' hosts", () => {
  let context: Context
  let smsc: Smsc
  let twilio: TwilioStandIn

  async function open(environment: Record<string, string> = {}): Promise<void> {
    context = await createTestContext({ ALLOWED_PRIVATE_CIDRS: '', ...environment })
    ;[smsc, twilio] = await Promise.all([startSmsc(), startTwilio()])
    for (const [name, host] of [
      ['by-address', '127.0.0.1'],
      ['by-name', 'localhost'],
    ] as const) {
      await addCarrierAccount(context, {
        name,
        kind: 'smpp',
        settings: { host, port: smsc.port, systemId: 'linehook' },
      })
    }
    await addCarrierAccount(context, {
      name: 'twilio',
      kind: 'twilio',
      settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl: twilio.url },
    })
  }

  afterEach(async () => {
    await context.close()
    await Promise.all([smsc.close(), twilio.close()])
  })

  /** @returns what is wrong with the account, in words */
  async function test(name: string): Promise<string | undefined> {
    const result = await testCarrierAccount(context, await getCarrierAccount(context, name))
    return result.ok ? undefined : result.fault
  }

  it('are not called in the own network, and it says how to allow it', async () => {
    await open()
    for (const name of ['by-address', 'by-name', 'twilio']) {
      expect(await test(name), name)
        .to.match(/not on the public internet/)
        .and.match(/ALLOWED_CARRIER_CIDRS/)
    }
    const { log, lines } = memoryLog()
    const holder = holdAccounts({ ...context, log }, { followMs: 50 })
    await until('both were tried', () => lines.filter(({ msg }) => msg === 'smpp.not_bound').length >= 2)
    await holder.close()
    expect(smsc.seen).to.deep.equal([])
    expect(twilio.requests).to.deep.equal([])
  })

  it("are called there when the operator allows it, and users' URLs still are not", async () => {
    await open({ ALLOWED_CARRIER_CIDRS: '127.0.0.0/8,::1/128' })
    for (const name of ['by-address', 'by-name', 'twilio']) expect(await test(name), name).to.equal(undefined)
    expect(await context.safeFetch.explainUrl(twilio.url)).to.match(/not on the public internet/)
  })

  it("are called where users' URLs may lead", async () => {
    await open({ ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128' })
    for (const name of ['by-address', 'by-name', 'twilio']) expect(await test(name), name).to.equal(undefined)
  })
})
