import { expect } from 'chai'
import { CarrierThrottled, CarrierUnavailable } from '../../../../src/carriers/carrier.js'
import type { CarrierAccount } from '../../../../src/database/carriers/carrier-accounts.js'
import { testCarrierAccount } from '../../../../src/domain/carriers/accounts/carrier-test.js'
import { changeCarrierAccount } from '../../../../src/domain/carriers/accounts/change.js'
import { notePhone, pollPhones } from '../../../../src/domain/carriers/accounts/phones.js'
import { addCarrierAccount, getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { getAnyLine } from '../../../../src/domain/lines/lines.js'
import { readRoute, setRoutes } from '../../../../src/domain/lines/routes.js'
import { catchUp } from '../../../../src/domain/messages/catch-up.js'
import { enqueueResumed } from '../../../../src/domain/messages/resume.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { createWaking, tryWaiting, wakeRecovered } from '../../../../src/domain/messages/send/recovery.js'
import {
  COMMAND_LINE,
  pauseCarrierAccount,
  pauseLine,
  resumeCarrierAccount,
  resumeLine,
} from '../../../../src/domain/operating/pauses.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import {
  ago,
  ahead,
  ANNA,
  BEN,
  CLEO,
  hasMessageJob,
  messageRow,
  queueMessage,
  queueMessages,
  UNLIMITED,
  addCopies,
} from '../../fixtures.js'

/** So many attempts that the next one is 5 minutes away. */
const OLD = { attempt_count: 12 }
const PHONE = { id: 'one', awayAfterMs: 600_000 }

describeContext('messages that wait for a carrier', (context) => {
  const accounts: Record<string, string> = {}
  const held: (() => void)[] = []
  let line: TestLine
  /** What each account answers; those that are not named take everything. */
  let answers: Record<string, Error>
  /** What a test of any account finds. */
  let fault: string | undefined

  before(async () => {
    const settings = { username: 'sms', password: 'p', signingKey: 'k', apiUrl: 'http://127.0.0.1:9' }
    accounts.phone = (await addCarrierAccount(context, { name: 'phone', kind: 'smsgate', settings })).id
    for (const name of ['first', 'second', 'phone']) {
      const id = (accounts[name] ??= newId())
      await context.db('carrier_accounts').insert({ id, name, kind: 'simulator' }).onConflict('name').ignore()
      const send = ({ id: messageId }: { id: string }) => {
        const answer = answers[name]
        return answer === undefined
          ? Promise.resolve({ carrierMessageId: `${name}-${messageId}` })
          : Promise.reject(answer)
      }
      const test = () => Promise.resolve(fault)
      const listPhones = () => Promise.resolve([{ ...PHONE, contactAt: new Date() }])
      const listReceived = async function* () {
        yield []
      }
      const close = () => Promise.resolve()
      held.push(context.carriers.hold(id, { name, send, test, listPhones, listReceived, close }))
    }
  })
  after(() => {
    held.forEach((end) => {
      end()
    })
  })

  beforeEach(async () => {
    answers = {}
    fault = undefined
    await context.db('messages').delete()
    await context.redis.flushdb()
    await context.db('carrier_accounts').update({
      ...{ avoided_until: null, avoided_count: 0, failing_since: null, recovered_at: null },
      ...{ paused_at: null, paused_by: null, resumed_at: null, phones_asked_at: null },
    })
    line = await createLine(context, { ...UNLIMITED, carrierAccount: 'first' })
  })

  const rowOf = (name: string) => context.db('carrier_accounts').where({ name })
  /** A message that has waited long for its account, and waits for minutes more. */
  const waiting = async (overrides: Record<string, unknown> = {}) => {
    const id = await queueMessage(context, line, { ...OLD, to_number: BEN, ...overrides })
    expect(await sendMessage(context, id)).to.include({ kind: 'wait', reason: 'unavailable' })
    return id
  }
  const fails = (...names: string[]) => {
    for (const name of names) answers[name] = new CarrierUnavailable('gone')
  }
  /** The account accepts a message of another line, an outage of so many seconds later. */
  const recover = async (name = 'first', seconds = 60) => {
    answers = {}
    await rowOf(name).update({ failing_since: context.db.raw(`now() - make_interval(secs => ?)`, [seconds]) })
    const other = await createLine(context, { ...UNLIMITED, carrierAccount: name })
    expect(await sendMessage(context, await queueMessage(context, other))).to.deep.equal({ kind: 'sent' })
    await until('it is noted', async () => (await stateOf(name)).avoided_count === 0)
  }
  const stateOf = async (name: string) =>
    rowOf(name).first<{ avoided_count: number; failing_since: Date | null; recovered_at: Date | null }>(
      'avoided_count',
      'failing_since',
      'recovered_at',
    )
  /** Wakes them, as many as may be at the age of the recovery, which on a busy machine rises while it is done. */
  const wakeBatch = async () => {
    const atOnce = async () => {
      const row = await rowOf('first').first<{ age: number }>(
        context.db.raw('extract(epoch from clock_timestamp() - recovered_at)::float8 as age'),
      )
      return Math.min(1000, 10 * 2 ** Math.floor(row.age))
    }
    const least = await atOnce()
    const count = await wakeRecovered(context)
    return { count, least, most: await atOnce() }
  }
  const isWoken = async (id: string) => {
    const { not_before, job_generation } = await messageRow(context, id)
    return not_before === null && job_generation > 0 && (await hasMessageJob(context, id, job_generation))
  }
  const versionOf = async (name: string) => (await rowOf(name).first<{ xmin: string }>('xmin')).xmin

  it('are woken once their account accepts another one, the oldest first', async () => {
    fails('first')
    const ids = [await waiting(), await waiting({ to_number: CLEO })]
    expect(await wakeRecovered(context)).to.equal(0)
    await recover()
    expect(await wakeRecovered(context)).to.equal(2)
    for (const id of ids) {
      expect(await isWoken(id)).to.equal(true)
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    }
    expect(await wakeRecovered(context)).to.equal(0)
  })

  it('are looked for a hundredth of the time while there are none to wake, and at once after some', async () => {
    let now = 0
    let lookCount = 0
    const counts = [1000, 0]
    const wake = createWaking(
      () => {
        now += 100
        lookCount += 1
        return Promise.resolve(counts.shift() ?? 0)
      },
      () => now,
    )
    expect([await wake(context), await wake(context), await wake(context)]).to.deep.equal([1000, 0, 0])
    now += 9800
    await wake(context)
    expect(lookCount).to.equal(2)
    now += 200
    await wake(context)
    expect(lookCount).to.equal(3)
  })

  it('are looked for at once when their account recovers, although there are none to wake for another', async () => {
    let now = 0
    let lookCount = 0
    const wake = createWaking(
      () => {
        now += 100
        lookCount += 1
        return Promise.resolve(0)
      },
      () => now,
    )
    const looksAfter = async (names: string[]) => {
      for (const name of names)
        await rowOf(name).update({ avoided_count: 0, recovered_at: context.db.raw('clock_timestamp()') })
      for (let n = 0; n < 3; n += 1) await wake(context)
      return lookCount
    }
    expect(await looksAfter(['first'])).to.equal(1)
    expect(await looksAfter(['second'])).to.equal(2)
    expect(await looksAfter([])).to.equal(2)
  })

  it('cost nothing more while an account works, and one write when it begins to fail', async () => {
    const before = await versionOf('first')
    for (const id of await queueMessages(context, line, 3)) await sendMessage(context, id)
    expect(await versionOf('first')).to.equal(before)

    fails('first')
    await waiting()
    expect(await versionOf('first')).not.to.equal(before)
    // Lines with another route may try it again by now.
    await rowOf('first').update({ avoided_until: ago(context, '1 second') })
    const failing = await versionOf('first')
    await waiting({ to_number: CLEO })
    expect(await versionOf('first')).to.equal(failing)
  })

  it('do not count as a failure of an account that only lacks their line’s number', async () => {
    const lacking = new CarrierUnavailable("No SIM card has the line's number", { isOfLine: true })
    answers = { first: lacking, second: lacking }
    await waiting()
    await setRoutes(context, { userId: line.userId, id: line.lineId }, [readRoute('second')])
    expect(await sendMessage(context, await queueMessage(context, line))).to.include({ kind: 'wait', ms: 0 })
    for (const name of ['first', 'second'])
      expect(await stateOf(name), name).to.include({ avoided_count: 0, failing_since: null })
  })

  it('are left to their next tries after a short failure, which are as soon', async () => {
    fails('first')
    const id = await waiting()
    await recover('first', 0)
    expect(await stateOf('first')).to.deep.equal({
      ...{ avoided_count: 0, failing_since: null, recovered_at: null },
    })
    expect(await wakeRecovered(context)).to.equal(0)
    expect(await isWoken(id)).to.equal(false)
  })

  it('are woken once for each recovery, also if they were with the carrier meanwhile', async () => {
    fails('first')
    const id = await waiting()
    await recover()
    await wakeRecovered(context)
    // Only this one still fails.
    fails('first')
    expect(await sendMessage(context, id)).to.include({ kind: 'wait', reason: 'unavailable' })
    await recover('first', 0)
    expect(await wakeRecovered(context)).to.equal(0)

    // Its claim is older than the recovery, and its failure is not.
    await rowOf('first').update({ recovered_at: context.db.fn.now() })
    expect(await wakeRecovered(context)).to.equal(1)
  })

  it('are woken in growing batches, and not while their account fails again', async () => {
    fails('first')
    const before = { to_number: `'+1' || n`, claimed_at: `now() - interval '1 minute'` }
    await addCopies(context, 'messages', await waiting(), 3000, before)
    await recover()
    for (const [age, least] of [
      ['0.1 seconds', 10],
      ['4.1 seconds', 160],
    ] as const) {
      await rowOf('first').update({ recovered_at: ago(context, age) })
      const woken = await wakeBatch()
      expect(woken.least).to.be.at.least(least)
      expect(woken.count, age).to.be.within(woken.least, woken.most)
    }
    await rowOf('first').update({ recovered_at: ago(context, '30 seconds') })
    expect(await wakeRecovered(context)).to.equal(1000)

    fails('first')
    await waiting({ to_number: ANNA })
    expect(await wakeRecovered(context)).to.equal(0)
    await recover('first', 0)
    expect(await wakeRecovered(context)).to.equal(1000)
    await rowOf('first').update({ recovered_at: ago(context, '361 seconds') })
    expect(await wakeRecovered(context)).to.equal(0)
    // The last ones get their turn only after minutes, if very many wait.
    const last = context.db('messages').whereRaw('not_before > now()')
    await last.clone().update({ claimed_at: ago(context, '10 minutes') })
    await rowOf('first').update({ recovered_at: ago(context, '350 seconds') })
    const { length: count } = await last.clone().pluck('id')
    expect(await wakeRecovered(context)).to.equal(Math.min(count, 1000))
  })

  it('keep their time if they wait for something else', async () => {
    const later = { due_at: ahead(context, '4 minutes'), not_before: ahead(context, '4 minutes') }
    const tried = { ...later, claimed_at: ago(context, '1 minute') }
    const ids = [
      await queueMessage(context, line, { ...tried, error: 'throttled' }),
      await queueMessage(context, line, { ...tried, to_number: BEN }),
      await queueMessage(context, line, {
        ...later,
        status: 'scheduled',
        send_at: ahead(context, '4 minutes'),
      }),
      await queueMessage(context, line, { ...tried, status: 'unknown', error: 'carrier_outcome_unknown' }),
    ]
    answers.first = new CarrierThrottled(240_000)
    const throttled = await queueMessage(context, line, { to_number: CLEO })
    await sendMessage(context, throttled)
    fails('first')
    const other = await createLine(context, { ...UNLIMITED, carrierAccount: 'second' })
    const elsewhere = await queueMessage(context, other, { ...tried, error: 'carrier_unavailable' })
    const here = await waiting({ to_number: '+15005550109' })
    await recover()
    expect(await wakeRecovered(context)).to.equal(1)
    expect(await isWoken(here)).to.equal(true)
    for (const id of [...ids, throttled, elsewhere]) expect(await isWoken(id)).to.equal(false)
  })

  it('no longer wait for it once they wait for a window', async () => {
    fails('first')
    const narrow = await createLine(context, { ...UNLIMITED, messagesPerMinute: 1, carrierAccount: 'first' })
    const id = await queueMessage(context, narrow, OLD)
    await sendMessage(context, id)
    answers = {}
    // The place that it had is over after a minute.
    await context.redis.flushdb()
    await sendMessage(context, await queueMessage(context, narrow, { to_number: BEN }))
    await context.db('messages').where({ id }).update({ not_before: null })
    expect(await sendMessage(context, id)).to.include({ kind: 'wait', reason: 'window' })
    expect(await messageRow(context, id)).to.include({ status: 'queued', error: null })
    await recover()
    expect(await wakeRecovered(context)).to.equal(0)
  })

  it('are woken one to a number, in order', async () => {
    fails('first')
    const head = await waiting()
    const next = await queueMessage(context, line, { to_number: BEN })
    expect(await sendMessage(context, next)).to.deep.equal({ kind: 'behind' })
    await recover()
    expect(await wakeRecovered(context)).to.equal(1)
    expect(await sendMessage(context, next)).to.deep.equal({ kind: 'behind' })
    expect(await sendMessage(context, head)).to.deep.equal({ kind: 'sent' })
    expect(await sendMessage(context, next)).to.deep.equal({ kind: 'sent' })
  })

  it('wait for the end of a pause, after they were woken during it', async () => {
    fails('first')
    const id = await waiting()
    const own = { id: line.lineId, userId: line.userId }
    await pauseLine(context, COMMAND_LINE, own)
    await recover()
    expect(await wakeRecovered(context)).to.equal(1)
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'stopped' })
    await resumeLine(context, COMMAND_LINE, own)
    expect(await enqueueResumed(context)).to.equal(1)
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
  })

  it('wait for Redis first', async () => {
    fails('first')
    await waiting()
    await recover()
    const away = Object.create(context.redis, { status: { value: 'end' } }) as typeof context.redis
    expect(await wakeRecovered({ ...context, redis: away })).to.equal(0)
    expect(await wakeRecovered(context)).to.equal(1)
  })

  describe('with several routes', () => {
    const route = (...routes: string[]) =>
      setRoutes(context, { userId: line.userId, id: line.lineId }, routes.map(readRoute))
    const sendThrough = async (id: string) => {
      for (;;) {
        const outcome = await sendMessage(context, id)
        if (outcome.kind !== 'wait' || outcome.ms > 0) return outcome
      }
    }

    it('are woken when any of them recovers', async () => {
      await route('second')
      fails('first', 'second')
      const id = await queueMessage(context, line, OLD)
      expect(await sendThrough(id)).to.include({ kind: 'wait', reason: 'unavailable' })
      expect((await getAnyLine(context, line.lineId)).carrierAccount).to.equal('first')
      await recover('second')
      expect(await wakeRecovered(context)).to.equal(1)
      expect(await sendThrough(id)).to.deep.equal({ kind: 'sent' })
    })

    it('are not woken by one that is for other numbers', async () => {
      await route('second:+44')
      fails('first', 'second')
      const id = await queueMessage(context, line, OLD)
      await sendThrough(id)
      await sendThrough(await queueMessage(context, line, { to_number: '+447400123456' }))
      await recover('second')
      expect(await wakeRecovered(context)).to.equal(1)
      expect(await isWoken(id)).to.equal(false)
    })

    it('are woken when a paused one of them is resumed', async () => {
      await route('second')
      const second = { id: accounts.second ?? '' }
      await pauseCarrierAccount(context, COMMAND_LINE, second)
      fails('first')
      const id = await queueMessage(context, line, OLD)
      expect(await sendThrough(id)).to.include({ kind: 'wait', reason: 'unavailable' })
      await resumeCarrierAccount(context, COMMAND_LINE, second)
      expect(await wakeRecovered(context)).to.equal(1)
      expect(await sendThrough(id)).to.deep.equal({ kind: 'sent' })
    })
  })

  describe('at a sign of life', () => {
    const tryFirst = () => tryWaiting(context, accounts.first ?? '')
    const countWoken = async (ids: readonly string[]) =>
      (await Promise.all(ids.map(isWoken))).filter(Boolean).length

    it('are tried, but only the oldest ten; the first that is accepted wakes the others', async () => {
      fails('first')
      const ids: string[] = []
      for (let n = 0; n < 12; n += 1) ids.push(await waiting({ to_number: `+1500555020${n}` }))
      await tryFirst()
      await until('ten are woken', async () => (await countWoken(ids)) === 10)
      expect(await countWoken(ids.slice(0, 10))).to.equal(10)
      expect(await wakeRecovered(context)).to.equal(0)

      answers = {}
      await rowOf('first').update({ failing_since: ago(context, '1 minute') })
      expect(await sendMessage(context, ids[0] ?? '')).to.deep.equal({ kind: 'sent' })
      await until('it is noted', async () => (await stateOf('first')).avoided_count === 0)
      expect(await wakeRecovered(context)).to.equal(2)
    })

    it('are left alone if the account is not failing, or there is none', async () => {
      const id = await queueMessage(context, line, {
        ...{ error: 'carrier_unavailable', claimed_at: ago(context, '1 minute') },
        not_before: ahead(context, '1 minute'),
      })
      await tryFirst()
      await tryWaiting(context, newId())
      expect(await isWoken(id)).to.equal(false)
    })

    const contactAt = new Date()
    const SIGNS: [string, (account: CarrierAccount) => Promise<unknown>][] = [
      ['a call of its phone', (account) => notePhone(context, account, { ...PHONE, contactAt })],
      ['its answer about its phones', () => pollPhones(context, AbortSignal.timeout(20_000))],
      [
        'its list of received texts',
        () => catchUp(context, { isStart: true, signal: AbortSignal.timeout(20_000) }),
      ],
      ['a test that succeeds', (account) => testCarrierAccount(context, account)],
      ['other settings', (account) => changeCarrierAccount(context, account, { messagesPerSecond: 100 })],
      [
        'the end of its pause',
        async (account) => {
          await pauseCarrierAccount(context, COMMAND_LINE, account)
          await resumeCarrierAccount(context, COMMAND_LINE, account)
          await enqueueResumed(context)
        },
      ],
    ]
    for (const [what, act] of SIGNS) {
      it(`of an account, which is ${what}, are tried`, async () => {
        line = await createLine(context, { ...UNLIMITED, carrierAccount: 'phone' })
        fails('phone')
        const id = await waiting()
        await act(await getCarrierAccount(context, 'phone'))
        await until('it is woken', () => isWoken(id))
        expect(await wakeRecovered(context)).to.equal(0)
      })
    }

    it('which is no test that fails, are left alone', async () => {
      line = await createLine(context, { ...UNLIMITED, carrierAccount: 'phone' })
      fails('phone')
      const id = await waiting()
      fault = 'gone'
      expect(await testCarrierAccount(context, await getCarrierAccount(context, 'phone'))).to.include({
        fault,
      })
      expect(await isWoken(id)).to.equal(false)
    })
  })
})
