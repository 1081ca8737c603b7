import { expect } from 'chai'
import { startProxy, type Proxy } from '../../chaos/proxy.js'
import { freePort } from '../../dev/services/free-port.js'
import { addCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { readRoute, setRoutes } from '../../src/domain/lines/routes.js'
import { startTelnyx } from '../carriers/stand-ins/telnyx.js'
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from '../carriers/twilio/stand-in.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, postAll, WIDE } from './support/steps.js'

const NUMBERS = 50
const TEXTS = 500
/** So many are with a carrier at the same time, and may be unknown when it dies. */
const CONCURRENCY = 20

const SETUP = {
  processes: ['web', 'send-message'],
  environment: async () => ({
    ...{ PORT: String(await freePort()), CARRIER_TIMEOUT_MS: '5000', SEND_CONCURRENCY: String(CONCURRENCY) },
  }),
} as const

describeInstallation('journey: a carrier account fails', SETUP, ({ context, running }) => {
  /** What either carrier took, in order. */
  let taken: { by: 'telnyx' | 'twilio'; to: string; text: string }[] = []
  const telnyx = openForSuite(() =>
    startTelnyx({ onTaken: ({ to, text = '' }) => taken.push({ by: 'telnyx', to, text }) }),
  )
  const twilio = openForSuite(() =>
    startTwilio({ onTaken: ({ to, body }) => taken.push({ by: 'twilio', to, text: body }) }),
  )
  const way = openForSuite(() => startProxy(Number(new URL(telnyx.url).port)))
  let line: TestLine

  before(async () => {
    const { apiKey, publicKey } = telnyx.credentials
    await addCarrierAccount(context, {
      name: 'first',
      kind: 'telnyx',
      settings: { apiKey, publicKey, apiUrl: `http://127.0.0.1:${way.port}/v2` },
    })
    await addCarrierAccount(context, {
      name: 'second',
      kind: 'twilio',
      settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl: twilio.url },
      messagesPerSecondPerLine: null,
    })
    line = await createLine(context, { ...WIDE, number: telnyx.number, carrierAccount: 'second' })
    await setRoutes(context, { userId: line.userId, id: line.lineId }, [readRoute('first')])
  })

  for (const [how, die] of [
    [
      'takes no connections any more',
      (proxy: Proxy) => {
        proxy.refuse()
      },
    ],
    [
      'falls silent',
      (proxy: Proxy) => {
        proxy.blackhole()
      },
    ],
  ] as const) {
    it(`in the middle of ${TEXTS} texts, and ${how}: the rest go through the next route, in order and never twice`, async () => {
      taken = []
      await way.pass()
      await context.db('messages').del()
      await context.db('carrier_accounts').update({ avoided_until: null, avoided_count: 0 })
      const people = numbers(NUMBERS)
      const texts = Array.from({ length: TEXTS }, (_, n) => ({
        toNumber: people[n % NUMBERS] ?? '',
        text: String(n).padStart(3, '0'),
      }))
      const posting = postAll(running.url, line, texts)
      await until('a third is taken', () => taken.length >= TEXTS / 3)
      die(way)
      const ids = await posting
      const rows = await until(
        'nothing is on its way',
        async () => {
          const found = await outboundMessages(context, line)
          return found.every(({ status }) => ['sent', 'unknown', 'failed'].includes(status)) && found
        },
        120_000,
      )

      const textOf = new Map(ids.map((id, n) => [id, texts[n]?.text ?? '']))
      const unknown = rows.filter(({ status }) => status === 'unknown').map(({ id }) => textOf.get(id))
      expect(rows.filter(({ status }) => status === 'failed')).to.deep.equal([])
      // Each of them may have written one more on a connection of which nobody knew yet that it had ended.
      expect(unknown.length).to.be.at.most(2 * CONCURRENCY)
      const takenBy = (text: string) => taken.filter((each) => each.text === text).map(({ by }) => by)
      for (const { text } of texts) {
        if (unknown.includes(text)) expect(takenBy(text).join(), text).to.be.oneOf(['', 'telnyx'])
        else expect(takenBy(text), text).to.have.length(1)
      }
      for (const person of people) {
        const got = taken.filter(({ to }) => to === person).map(({ text }) => text)
        expect(got, person).to.deep.equal(got.toSorted())
      }
      expect(taken.some(({ by }) => by === 'twilio')).to.equal(true)
      expect([...telnyx.violations, ...twilio.faults]).to.deep.equal([])
    })
  }
})
