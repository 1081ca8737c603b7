import { expect } from 'chai'
import { startProxy } from '../../chaos/proxy.js'
import { freePort } from '../../dev/services/free-port.js'
import { callbackUrlOf } from '../../src/carriers/callbacks.js'
import { addCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { startSmsGate } from '../carriers/stand-ins/smsgate.js'
import { kindsTold, letTimePass } from '../domain/operating/notices/fixtures.js'
import { createLine } from '../helpers/factories.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, postAll, WIDE } from './support/steps.js'

const TEXTS = 20

const SETUP = {
  processes: ['web'],
  workers: ['send-message', 'maintenance'],
  environment: async () => ({ PORT: String(await freePort()), CARRIER_TIMEOUT_MS: '10000' }),
} as const

describeInstallation('journey: a phone is away', SETUP, function ({ context, running }) {
  this.timeout(240_000)
  const phone = openForSuite(() => startSmsGate())
  const network = openForSuite(() => startProxy(Number(new URL(phone.url).port)))

  it('messages wait for it, the operator is told, and each goes out once when it is back', async () => {
    const { username, password, signingKey } = phone.credentials
    const { id: accountId } = await addCarrierAccount(context, {
      name: 'phone',
      kind: 'smsgate',
      settings: {
        username,
        password,
        signingKey,
        apiUrl: `http://127.0.0.1:${network.port}`,
        sim1: phone.number,
      },
    })
    const line = await createLine(context, { ...WIDE, number: phone.number, carrierAccount: 'phone' })
    const statuses = async () => (await outboundMessages(context, line)).map(({ status }) => status)

    network.refuse()
    const people = numbers(TEXTS)
    await postAll(
      running.url,
      line,
      people.map((toNumber, n) => ({ toNumber, text: `Text ${n}` })),
    )
    const told = async (kind: string) => (await kindsTold(context)).includes(kind)
    // The operator is told after a minute.
    const isSeen = async () => (await context.db('notice_causes').where({ kind: 'carrier.down' })).length > 0
    await until('it is seen to be away', isSeen, 60_000)
    await letTimePass(context, '1 minute')
    await until('the operator is told', () => told('carrier.down'), 60_000)
    expect(new Set(await statuses())).to.deep.equal(new Set(['queued']))
    expect(phone.taken).to.deep.equal([])

    // As after a long night, all have just been tried, and their next try is in 5 minutes.
    await until('none is on its way', async () => {
      const inFiveMinutes = context.db.raw(`now() + interval '5 minutes'`)
      const later = { due_at: inFiveMinutes, not_before: inFiveMinutes }
      return (await context.db('messages').where({ status: 'queued' }).update(later)) === TEXTS
    })
    await network.pass()
    phone.callbackUrls.receipt = callbackUrlOf(running.url, { kind: 'smsgate', accountId, name: 'events' })
    expect((await phone.ping()).map(({ status }) => status)).to.deep.equal([200])
    await until('all are sent', async () => (await statuses()).every((status) => status === 'sent'))
    expect(phone.taken.map(({ text }) => text).toSorted()).to.deep.equal(
      people.map((_, n) => `Text ${n}`).toSorted(),
    )
    expect(phone.violations).to.deep.equal([])
    await until('the operator is told that it is back', () => told('carrier.recovered'), 90_000)
  })
})
