import { expect } from 'chai'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
} from '../../../../src/carriers/carrier.js'
import { errorOfAnswer } from '../../../../src/carriers/twilio/errors.js'
import { pauseRow } from '../../../../src/database/operating/pauses.js'
import { COMMAND_LINE, pauseLine } from '../../../../src/domain/operating/pauses.js'
import { enqueueResumed } from '../../../../src/domain/messages/resume.js'
import { isLineAt, readRoute, setRoutes, writeRoute } from '../../../../src/domain/lines/routes.js'
import { getAnyLine } from '../../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { receiveReceipt } from '../../../../src/domain/messages/receipts.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import { expectRefusal } from '../../refusal.js'
import {
  inboundText,
  hasMessageJob,
  messageRow,
  queueMessage,
  queueMessages,
  sendWhenDue,
  UNLIMITED,
  changeRows,
} from '../../fixtures.js'

type Answer = Error | 'taken'

/** As Twilio refuses an account that has sent as many messages as it may in a day. */
const DAILY_LIMIT = errorOfAnswer({
  ...{ status: 429, headers: {}, text: '' },
  body: { code: 63038, message: 'Account exceeded the daily messages limit' },
})

describeContext('the routes of a line', (context) => {
  const accounts: Record<string, string> = {}
  const held: (() => void)[] = []
  let line: TestLine
  /** What each account answers; those that are not named take everything. */
  let answers: Record<string, Answer>
  /** `account message` for each call of a carrier, in order. */
  let calls: string[]

  before(async () => {
    for (const name of ['first', 'second', 'third']) {
      const id = newId()
      accounts[name] = id
      await context.db('carrier_accounts').insert({ id, name, kind: 'simulator' })
      held.push(
        context.carriers.hold(id, {
          name,
          send: ({ id: messageId }) => {
            calls.push(`${name} ${messageId}`)
            const answer = answers[name] ?? 'taken'
            return answer === 'taken'
              ? Promise.resolve({ carrierMessageId: `${name}-${messageId}` })
              : Promise.reject(answer)
          },
          test: () => Promise.resolve(undefined),
          close: () => Promise.resolve(),
        }),
      )
    }
  })

  after(() => {
    held.forEach((end) => {
      end()
    })
  })

  beforeEach(async () => {
    answers = {}
    calls = []
    await context
      .db('carrier_accounts')
      .update({ avoided_until: null, avoided_count: 0, paused_at: null, paused_by: null })
    line = await createLine(context, { ...UNLIMITED, carrierAccount: 'first' })
  })

  const route = async (...routes: string[]) => {
    await setRoutes(context, { userId: line.userId, id: line.lineId }, routes.map(readRoute))
  }
  /** As its jobs do, one after the other, until it is over or has to wait for longer. */
  const send = async (id: string) => {
    for (;;) {
      const outcome = await sendWhenDue(context, id)
      if (outcome.kind !== 'wait' || outcome.ms > 0) return outcome
    }
  }
  const routeOf = async (id: string) => {
    const {
      status,
      carrier,
      passed_over: passedOver,
    } = (await messageRow(context, id)) as unknown as {
      status: string
      carrier: string
      passed_over: object | null
    }
    return { status, carrier, passedOver }
  }
  const calledOf = (id: string) => calls.filter((call) => call.endsWith(id)).map((call) => call.split(' ')[0])

  it('are tried before its own account, in their order', async () => {
    await route('second', 'third')
    const id = await queueMessage(context, line)
    expect(await send(id)).to.deep.equal({ kind: 'sent' })
    expect(await routeOf(id)).to.deep.equal({ status: 'sent', carrier: 'second', passedOver: null })
  })

  for (const [what, answer, reason] of [
    ['cannot be reached', new CarrierUnavailable('no connection'), 'carrier_unavailable'],
    ['has reached its daily limit', DAILY_LIMIT, 'carrier_unavailable'],
    ['asks to wait for long', new CarrierThrottled(60_000), 'throttled'],
    [
      'refuses for a reason of the account',
      new CarrierRejected('not your number', '7', false, true),
      'not your number',
    ],
  ] as const) {
    it(`when one ${what}, the next takes the message, which says why`, async () => {
      await route('second', 'third')
      answers.second = answer
      const id = await queueMessage(context, line)
      expect(await send(id)).to.deep.equal({ kind: 'sent' })
      expect(calledOf(id)).to.deep.equal(['second', 'third'])
      expect(await routeOf(id)).to.deep.equal({
        status: 'sent',
        carrier: 'third',
        passedOver: { second: reason },
      })
    })
  }

  for (const [what, answer, outcome] of [
    ['may have taken it', new CarrierOutcomeUnknown('reset'), 'unknown'],
    ['rejects the message itself', new CarrierRejected('no such number'), 'failed'],
    ['asks for a short wait', new CarrierThrottled(500), 'wait'],
  ] as const) {
    it(`when one ${what}, no other is asked`, async () => {
      await route('second')
      answers.second = answer
      const id = await queueMessage(context, line)
      expect(await send(id)).to.include({ kind: outcome })
      expect(calledOf(id)).to.deep.equal(['second'])
    })
  }

  it('when the settings of one cannot be decrypted, the next takes the message; without another one it waits', async () => {
    const settings_sealed = Buffer.from('by a key that is gone')
    const sealed = { id: newId(), name: 'sealed', kind: 'simulator', settings_sealed }
    await context.db('carrier_accounts').insert({ ...sealed, messages_per_second: 1000 })
    const text = 'x'.repeat(200)
    await changeRows(context, 'lines', line.lineId, { routes: JSON.stringify([{ carrier: 'sealed' }]) })
    const id = await queueMessage(context, line, { text })
    expect(await send(id)).to.deep.equal({ kind: 'sent' })
    expect(await routeOf(id)).to.deep.equal({
      status: 'sent',
      carrier: 'first',
      passedOver: { sealed: 'carrier_unavailable' },
    })

    const only = await createLine(context, { ...UNLIMITED, carrierAccount: 'first' })
    await context.db('lines').where({ id: only.lineId }).update({ carrier: 'sealed' })
    const waits = await queueMessage(context, only, { text })
    expect(await send(waits)).to.include({ kind: 'wait', reason: 'unavailable' })
  })

  it('when all have failed, the message waits, and begins with the first', async () => {
    await route('second')
    answers = { second: new CarrierUnavailable('gone'), first: new CarrierUnavailable('gone') }
    const id = await queueMessage(context, line)
    expect(await send(id)).to.include({ kind: 'wait', reason: 'unavailable' })
    expect(await routeOf(id)).to.deep.include({ status: 'queued', passedOver: null })
    answers = {}
    await context.db('carrier_accounts').update({ avoided_until: null })
    expect(await send(id)).to.deep.equal({ kind: 'sent' })
    expect(calledOf(id)).to.deep.equal(['second', 'first', 'second'])
  })

  it('a claim that is given back without a try keeps what was passed over', async () => {
    await route('second')
    answers.second = new CarrierUnavailable('gone')
    const id = await queueMessage(context, line)
    expect(await sendWhenDue(context, id)).to.include({ reason: 'next_route' })
    const claim = newId()
    expect(await context.batched.claimMessage({ id, claim, placesAt: 'first' })).to.include({
      kind: 'claimed',
    })
    await context.batched.settleMessage({ id, claim, status: 'queued', uncounted: true })
    const passedOver = { second: 'carrier_unavailable' }
    expect(await routeOf(id)).to.deep.include({ status: 'queued', passedOver })
    expect(await send(id)).to.deep.equal({ kind: 'sent' })
    expect(calledOf(id)).to.deep.equal(['second', 'first'])
  })

  it('an account that may have taken a message does not get the next ones for a while', async () => {
    await route('second')
    answers.second = new CarrierOutcomeUnknown('reset')
    expect(await send(await queueMessage(context, line))).to.include({ kind: 'unknown' })
    const next = await queueMessage(context, line)
    expect(await send(next)).to.deep.equal({ kind: 'sent' })
    expect(calledOf(next)).to.deep.equal(['first'])
  })

  it('an account that failed is left alone for a while, and then tried again', async () => {
    await route('second')
    answers.second = new CarrierUnavailable('gone')
    await send(await queueMessage(context, line))
    const next = await queueMessage(context, line)
    await send(next)
    expect(calledOf(next)).to.deep.equal(['first'])

    answers = {}
    const account = () => context.db('carrier_accounts').where({ name: 'second' })
    expect(await account().first('avoided_count')).to.deep.equal({ avoided_count: 1 })
    await account().update({ avoided_until: context.db.raw(`now() - interval '1 second'`) })
    const later = await queueMessage(context, line)
    await send(later)
    expect(calledOf(later)).to.deep.equal(['second'])
    await until('that it took a message is not noted', async () => {
      const row = await account().first<{ count: number; until: Date | null }>({
        count: 'avoided_count',
        until: 'avoided_until',
      })
      return row.count === 0 && row.until === null
    })
  })

  it('a paused account is passed by; when all are paused, messages wait', async () => {
    await route('second')
    const by = { userId: null, isOwner: false }
    await pauseRow(context.db, { table: 'carrier_accounts', id: accounts.second ?? '' }, by)
    const id = await queueMessage(context, line)
    await send(id)
    expect(calledOf(id)).to.deep.equal(['first'])
    await pauseRow(context.db, { table: 'carrier_accounts', id: accounts.first ?? '' }, by)
    expect(await send(await queueMessage(context, line))).to.deep.equal({ kind: 'stopped' })
  })

  it('a new route frees what waits for a paused account, in order', async () => {
    await pauseRow(
      context.db,
      { table: 'carrier_accounts', id: accounts.first ?? '' },
      { userId: null, isOwner: false },
    )
    const waiting = await queueMessages(context, line, 2)
    for (const id of waiting)
      expect(await send(id))
        .to.have.property('kind')
        .that.is.oneOf(['stopped', 'behind'])
    await route('second')
    await enqueueResumed(context)
    for (const id of waiting) expect(await send(id)).to.deep.equal({ kind: 'sent' })
    expect(calls).to.deep.equal(waiting.map((id) => `second ${id}`))
  })

  it('a new route ends no pause of the line', async () => {
    const own = { id: line.lineId, userId: line.userId }
    await pauseLine(context, COMMAND_LINE, own)
    const id = await queueMessage(context, line)
    expect(await send(id)).to.deep.equal({ kind: 'stopped' })
    await route('second')
    await enqueueResumed(context)
    expect(await hasMessageJob(context, id, 1)).to.equal(false)
    expect(await send(id)).to.deep.equal({ kind: 'stopped' })
  })

  it('a message says which accounts were skipped without a try, and why', async () => {
    await route('second', 'third')
    const rows = (name: string) => context.db('carrier_accounts').where({ name })
    await rows('second').update({ paused_at: new Date() })
    await rows('third').update({ avoided_until: context.db.raw(`now() + interval '1 minute'`) })
    const id = await queueMessage(context, line)
    expect(await send(id)).to.deep.equal({ kind: 'sent' })
    const skipped = { second: 'account_paused', third: 'account_avoided' }
    expect(await routeOf(id)).to.deep.equal({ status: 'sent', carrier: 'first', passedOver: skipped })

    // The only account that is neither paused nor avoided fails too, so the avoided one is tried.
    answers.first = new CarrierUnavailable('gone')
    const next = await queueMessage(context, line)
    expect(await send(next)).to.deep.equal({ kind: 'sent' })
    expect(calledOf(next)).to.deep.equal(['first', 'third'])
    expect(await routeOf(next)).to.deep.equal({
      status: 'sent',
      carrier: 'third',
      passedOver: { second: 'account_paused', first: 'carrier_unavailable' },
    })
  })

  it('for countries and prefixes take those numbers only', async () => {
    await route('second:GB,CA', 'third:+4930')
    for (const [number, account] of [
      ['+447400123456', 'second'],
      ['+16135550123', 'second'],
      ['+12025550123', 'first'],
      ['+493012345678', 'third'],
      ['+498912345678', 'first'],
      ['+80012345678', 'first'],
    ] as const) {
      const id = await queueMessage(context, line, { to_number: number })
      expect(await send(id)).to.deep.equal({ kind: 'sent' })
      expect(calledOf(id), number).to.deep.equal([account])
    }
  })

  it('keep the order of a number while an account dies, and send nothing twice', async () => {
    await route('second')
    const ids = await queueMessages(context, line, 20)
    answers.second = 'taken'
    for (const [n, id] of ids.entries()) {
      if (n === 7) answers.second = new CarrierUnavailable('gone')
      await send(id)
    }
    const taken = calls.filter(
      (call, n) => !calls.slice(n + 1).some((later) => later.endsWith(call.slice(-36))),
    )
    expect(taken.map((call) => call.slice(-36))).to.deep.equal(ids)
    expect(calls).to.have.length(21)
  })

  it('bring what the line receives, and receipts, by each of their accounts and no other', async () => {
    await route('second')
    for (const carrierAccount of ['first', 'second']) {
      const { kind } = await receiveMessage(context, {
        ...inboundText(line),
        carrierAccount,
        account: { id: accounts[carrierAccount] ?? '', version: 1 },
      })
      expect(kind).to.equal('received')
    }
    const stranger = { carrierAccount: 'third', account: { id: accounts.third ?? '', version: 1 } }
    await expectRefusal(receiveMessage(context, { ...inboundText(line), ...stranger }), 404, /No line/)

    const id = await queueMessage(context, line)
    await send(id)
    const receipt = { carrierMessageId: `second-${id}`, status: 'delivered' as const }
    expect(await receiveReceipt(context, { ...receipt, carrierAccount: 'first' })).to.equal(false)
    expect(await receiveReceipt(context, { ...receipt, carrierAccount: 'second' })).to.equal(true)
  })

  it('are read and written as people write them, and refused with what is wrong', async () => {
    for (const written of ['second', 'second:GB,IE', 'second:+4477,+1416', 'second:GB,+1416']) {
      expect(writeRoute(readRoute(written))).to.equal(written)
    }
    await expectRefusal(route('fou\0rth'), 400, /fourth is not set up/)
    for (const [written, fault] of [
      ['', /name of a carrier account/],
      ['second:', /countries or prefixes/],
      ['second:4477', /must have ISO 3166 countries/],
      ['second:+44x', /prefixes such as \+4477/],
      ['second:XX', /must have ISO 3166 countries/],
      ['second:IE,UK', /UK is not one. Did you mean GB\?$/],
    ] as const) {
      expect(() => readRoute(written), written).to.throw(fault)
    }
    await expectRefusal(route('fourth'), 400, /fourth is not set up/)
    await expectRefusal(route(...Array<string>(11).fill('second')), 400, /at most 10/)

    await route('second:GB')
    const changed = await getAnyLine(context, line.lineId)
    expect(changed.routes).to.deep.equal([{ carrier: 'second', countries: ['GB'] }])
    expect([
      isLineAt(changed, 'first'),
      isLineAt(changed, 'second'),
      isLineAt(changed, 'third'),
    ]).to.deep.equal([true, true, false])
  })
})
