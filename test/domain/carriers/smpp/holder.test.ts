import { expect } from 'chai'
import { inboundOf } from '../../../../dev/smsc/messages.js'
import { startSmsc, type Smsc, type SmscOptions } from '../../../../dev/smsc/server.js'
import { holdSessions, type Sessions, type SessionsOptions } from '../../../../src/carriers/smpp/sessions.js'
import { confirmArrivals } from '../../../../src/database/messages/arrivals.js'
import { deleteCarrierAccount } from '../../../../src/database/carriers/carrier-accounts.js'
import type { Database } from '../../../../src/database/connection.js'
import { getCarrierAccount, listAccountOverviews } from '../../../../src/domain/carriers/carrier-accounts.js'
import { testCarrierAccount } from '../../../../src/domain/carriers/accounts/carrier-test.js'
import type { Context } from '../../../../src/domain/context.js'
import { createContext } from '../../../../src/domain/open-context.js'
import { holdAccounts } from '../../../../src/domain/carriers/held-accounts/holder.js'
import { createStoreReadings } from '../../../../src/domain/operating/store-readings.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { Unavailable } from '../../../../src/errors.js'
import { scrape } from '../../../../src/telemetry/metrics.js'
import { createTestContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { findMetric, parseMetrics, risesOf } from '../../../helpers/metrics.js'
import { until } from '../../../helpers/until.js'
import { ANNA, countRows, hasMessageJob, messageRow, queueMessage, changeSettings } from '../../fixtures.js'
import { addSmppAccount, receiveDelivery, receivedTexts } from './fixtures.js'
import { listUnclearCallbacks } from '../../../../src/domain/carriers/unclear-callbacks.js'
import { pdu, startRawSmsc } from '../../../carriers/smpp/raw-smsc.js'

describe('the sessions of SMPP accounts', () => {
  let context: Context
  let smsc: Smsc

  beforeEach(async () => {
    context = await createTestContext()
    smsc = await startSmsc()
  })
  const opened: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close()
    await smsc.close()
    await context.close()
  })

  function hold(holding: Context = context, options: { leaseMs?: number } = {}) {
    const { log, lines } = memoryLog()
    const holder = holdAccounts({ ...holding, log }, { followMs: 50, ...options })
    opened.push(holder)
    const said = (msg: string) => lines.filter((line) => line.msg === msg)
    return { holder, said, isBound: () => said('smpp.bound').length > 0 }
  }

  async function restartWith(options: SmscOptions): Promise<Smsc> {
    await smsc.close()
    return startSmsc(options)
  }

  const binds = () => smsc.seen.filter((each) => each === 'bind_transceiver').length

  it('follows the accounts: added, changed and removed ones, and unbinds at the end', async () => {
    const { holder, said } = hold()
    // As this side knows it: who has sent its bind has not got the answer yet.
    const boundCount = () => said('smpp.bound').length
    const account = await addSmppAccount(context, 'smsc', { port: smsc.port })
    await until('it is bound', () => boundCount() === 1)

    await changeSettings(context, 'smsc', { bindCount: 2 })
    await until('it is bound twice', () => boundCount() === 3 && smsc.sessions().length === 2)

    await deleteCarrierAccount(context.db, account.id)
    await until('it is unbound', () => smsc.sessions().length === 0)
    await addSmppAccount(context, 'again', { port: smsc.port })
    await until('it is bound again', () => boundCount() === 4)
    await holder.close()
    expect(smsc.seen.filter((each) => each === 'unbind')).to.have.length(4)
    await until('nothing is left', () => smsc.sessions().length === 0)
  })

  it('says once what is wrong with an account that cannot be opened, and keeps trying', async () => {
    const { id } = await addSmppAccount(context, 'unreadable', { port: smsc.port })
    const rows = context.db('carrier_accounts').where({ id })
    const { settings_sealed: sealed } = (await rows.clone().first('settings_sealed')) as {
      settings_sealed: Buffer
    }
    await rows.clone().update({ settings_sealed: Buffer.alloc(sealed.length) })
    const { said } = hold()
    const faults = () => said('carrier.account_not_opened')
    await until('it is said', () => faults().length > 0)
    // Each of these is opened by a later round, and the first account is tried in each round.
    for (const name of ['second', 'third']) {
      const before = binds()
      await addSmppAccount(context, name, { port: smsc.port })
      await until('it is bound', () => binds() > before)
    }
    expect(faults()).to.have.length(1)
    await rows.clone().update({ settings_sealed: sealed })
    await until('it is bound too', () => binds() === 3)
  })

  it('refuse what cannot be read and keep it for operators, and go on', async () => {
    const raw = await startRawSmsc()
    opened.push(raw)
    const account = await addSmppAccount(context, 'raw', { port: raw.port })
    hold()
    await until('it is bound', () => raw.bindCount() === 1)
    raw.write(pdu('00000005', 7, Buffer.alloc(70_000, 'x')))
    raw.write(pdu('00000005', 8, Buffer.from('cut')))
    await until('both are refused', () => raw.received.length === 2)
    expect(raw.received.sort()).to.deep.equal([
      '00000010800000000000000200000007',
      '00000010800000000000000200000008',
    ])
    expect(raw.bindCount()).to.equal(1)
    const kept = await listUnclearCallbacks(context, account)
    expect(kept.map(({ why }) => why)).to.have.members([
      'a PDU of 70016 bytes that cannot be read',
      'a PDU of 19 bytes that cannot be read',
    ])
  })

  it('binds again when the SMSC was away', async () => {
    hold()
    await addSmppAccount(context, 'smsc', { port: smsc.port })
    await until('it is bound', () => binds() === 1)
    const { port } = smsc
    await smsc.close()
    smsc = await startSmsc({ port })
    await until('it is bound again', () => binds() === 1)
  })

  it('that are bound again bring messages that have waited for them their next try', async () => {
    const { port } = smsc
    await addSmppAccount(context, 'smsc', { port })
    const line = await createLine(context, { carrierAccount: 'smsc' })
    await smsc.close()
    hold()
    const id = await queueMessage(context, line, { to_number: ANNA, attempt_count: 12 })
    await sendMessage(context, id)
    await until('it waits', async () => (await messageRow(context, id)).not_before !== null)

    smsc = await startSmsc({ port })
    await until('it has a new job', () => hasMessageJob(context, id, 1))
    expect(await messageRow(context, id)).to.include({ not_before: null, job_generation: 1 })
  })

  it('give each part of a long text the time of a message', async () => {
    // Together the parts take longer than the time of one, and each has three seconds more than it needs.
    smsc = await restartWith({ delayMs: 900 })
    const impatient = { ...context, config: { ...context.config, carrierTimeoutMs: 4000 } }
    hold(impatient)
    await addSmppAccount(context, 'slow', { port: smsc.port })
    const line = await createLine(context, { carrierAccount: 'slow' })
    await until('it is bound', () => binds() === 1)

    const id = await queueMessage(context, line, { text: 'x'.repeat(5 * 153) })
    await sendMessage(impatient, id)
    await until('it is settled', async () => {
      const { status } = await messageRow(context, id)
      return status !== 'queued' && status !== 'sending'
    })
    expect(await messageRow(context, id)).to.include({ status: 'sent', error: null })
    expect(smsc.taken).to.have.length(5)
  })

  it('are in the metrics: each bind, how it ended, and how many there are of how many', async () => {
    const states = ['bound', 'wanted'] as const
    const sessionsNow = async () => {
      await createStoreReadings(context, { freshMs: 0, patienceMs: 20_000 })()
      const samples = parseMetrics((await scrape()).text)
      return states.map((state) =>
        findMetric(samples, 'linehook_carrier_sessions', { carrier: 'counted', state }),
      )
    }
    const binds = (outcome: string) =>
      ['linehook_carrier_binds_total', { carrier: 'counted', bind_as: 'transceiver', outcome }] as const
    await addSmppAccount(context, 'counted', { port: smsc.port, bindCount: 2 })
    // Nobody holds it yet.
    expect(await sessionsNow()).to.deep.equal([0, 1])
    const rises = await risesOf([binds('bound'), binds('ended')], async () => {
      const { holder } = hold()
      await until('both are bound', async () => (await sessionsNow()).join() === '2,2')
      await holder.close()
      await until('nothing is left', () => smsc.sessions().length === 0)
    })
    expect(rises).to.deep.equal([2, 2])
    expect(await sessionsNow()).to.deep.equal([0, 2])

    await smsc.close()
    hold()
    await until('it is refused', async () => {
      const samples = parseMetrics((await scrape()).text)
      return findMetric(samples, ...binds('refused'))
    })
  })

  describe('of several processes', () => {
    let other: Context

    beforeEach(() => {
      other = createContext(context.config, { process: 'test' })
      opened.push(other)
    })

    it('are held by one, and taken over at once when that one goes', async () => {
      await addSmppAccount(context, 'smsc', { port: smsc.port })
      const first = hold(context)
      await until('the first is bound', first.isBound)
      const second = hold(other)
      await until('the second stands by', async () => (await countRows(context, 'carrier_sessions')) === 1)
      await first.holder.close()
      await until('the second is bound', second.isBound)
      expect(binds()).to.equal(2)
      expect(smsc.bound()).to.deep.equal(['bind_transceiver'])
    })

    it('are taken over when their lease is over, and let go by who could not renew it', async () => {
      await addSmppAccount(context, 'smsc', { port: smsc.port })
      let isCut = false
      const cut = { ...context, db: cutOff(context.db, () => isCut) }
      const first = hold(cut, { leaseMs: 400 })
      await until('the first is bound', first.isBound)
      isCut = true
      const second = hold(other)
      await until('the second is bound', second.isBound)
      await until('the first has let go', () => smsc.bound().length === 1)
      isCut = false
    })

    it('are let go by who could not renew their lease, while what became of a text waits for Postgres', async () => {
      await addSmppAccount(context, 'smsc', { port: smsc.port })
      const line = await createLine(context, { carrierAccount: 'smsc' })
      let isCut = false
      let isOver = false
      const settleMessage: Context['batched']['settleMessage'] = (settlement) => {
        if (isOver) return context.batched.settleMessage(settlement)
        isCut = true
        return Promise.reject(new Unavailable('Postgres is not available'))
      }
      const db = cutOff(context.db, () => isCut)
      const first = hold({ ...context, db, batched: { ...context.batched, settleMessage } }, { leaseMs: 400 })
      await until('the first is bound', first.isBound)
      const id = await queueMessage(context, line, { to_number: ANNA })
      await until('it is handed over', async () => (await sendMessage(other, id)).kind === 'elsewhere')
      await until('the SMSC has it', () => isCut)
      const second = hold(other)
      await until('the second is bound', second.isBound)
      await until('the first has let go', () => smsc.bound().length === 1)
      isOver = true
      isCut = false
      await until('it is recorded', async () => (await messageRow(context, id)).status === 'sent')
      expect(smsc.taken).to.have.length(1)
    })

    it('send what others ask for: the process of the job calls no carrier', async () => {
      smsc = await restartWith({ maxSessions: 1 })
      await addSmppAccount(context, 'smsc', { port: smsc.port })
      const line = await createLine(context, { carrierAccount: 'smsc' })
      const id = await queueMessage(context, line, { to_number: ANNA })
      // Nobody holds the session: it waits, as for an SMSC that is down.
      expect(await sendMessage(other, id)).to.include({ kind: 'wait', reason: 'unavailable' })
      await other.db('messages').where({ id }).update({ due_at: other.db.fn.now() })

      hold(context)
      await until('it is sent', async () => {
        expect((await sendMessage(other, id)).kind).not.to.equal('sent')
        return (await messageRow(context, id)).status === 'sent'
      })
      expect(smsc.taken).to.have.length(1)
      expect(await sendMessage(other, id)).to.deep.equal({ kind: 'skipped' })
    })

    it('a message that crashes where it is sent is counted as one, and waits', async () => {
      await addSmppAccount(context, 'smsc', { port: smsc.port })
      const line = await createLine(context, { carrierAccount: 'smsc' })
      const id = await queueMessage(context, line, { to_number: ANNA })
      const broken = {
        ...context,
        batched: { ...context.batched, claimMessage: () => Promise.reject(new TypeError('a bug')) },
      }
      hold(broken)
      await until('it is handed over', async () => (await sendMessage(other, id)).kind === 'elsewhere')
      await until('the crash is counted', async () => (await messageRow(context, id)).crash_count === 1)
      expect(await messageRow(context, id)).to.include({ status: 'queued', crash_count: 1 })
    })
  })

  /** How operators see them. */
  describe('are shown', () => {
    const shown = async (name: string) =>
      (await listAccountOverviews(context)).find((account) => account.name === name)?.sessions

    it('as they are: not held, bound, bound in part with what is wrong, and not bound', async () => {
      await addSmppAccount(context, 'smsc', { port: smsc.port, bindCount: 2 })
      expect(await shown('smsc')).to.deep.include({ isHeld: false, boundCount: 0, changedAt: null })
      expect(await shown('simulator')).to.equal(null)

      const before = Date.now()
      const { holder } = hold()
      const bound = await until('it is bound', async () => {
        const sessions = await shown('smsc')
        return sessions?.boundCount === 2 && sessions
      })
      expect(bound).to.deep.include({ isHeld: true, sessionCount: 2, version: 1, lastError: null })
      expect(bound.changedAt?.getTime()).to.be.at.least(before - 1000)

      const { port } = smsc
      await smsc.close()
      const lost = await until('it is not bound', async () => {
        const sessions = await shown('smsc')
        return sessions?.boundCount === 0 && /ECONNREFUSED/.test(sessions.lastError ?? '') && sessions
      })
      expect(lost.lastErrorAt).to.be.a('date')

      smsc = await startSmsc({ port, maxSessions: 1 })
      await until('one of two is bound, and the other says why not', async () => {
        const sessions = await shown('smsc')
        return sessions?.boundCount === 1 && /ESME_RALYBND/.test(sessions.lastError ?? '')
      })
      await holder.close()
      expect(await shown('smsc')).to.deep.include({ isHeld: false, boundCount: 0 })
    })

    it('and a refused bind names its account in the log', async () => {
      smsc = await restartWith({ password: 'right' })
      const { id } = await addSmppAccount(context, 'smsc', { port: smsc.port, password: 'wrong' })
      const { said } = hold()
      const line = await until('it is refused', () => said('smpp.not_bound')[0])
      expect(line).to.include({ carrier: 'smsc', carrierAccountId: id })
    })

    it('and are the test of their account while they are bound: an SMSC may take no other session', async () => {
      smsc = await restartWith({ maxSessions: 1, password: 'right' })
      hold()
      await addSmppAccount(context, 'smsc', { port: smsc.port, password: 'right' })
      await until('it is bound', () => smsc.bound().length === 1)
      const test = async () => testCarrierAccount(context, await getCarrierAccount(context, 'smsc'))
      await until('it says that it is bound', async () => (await test()).ok)

      // Not of the session that is there, which has the settings of before.
      await changeSettings(context, 'smsc', { password: 'wrong' })
      expect(await test())
        .to.have.property('fault')
        .that.contains('ESME_RINVPASWD')
      await changeSettings(context, 'smsc', { password: 'right' })
      await until('it is bound again', async () => (await test()).ok)
      expect(await getCarrierAccount(context, 'smsc')).to.include({
        lastTestFault: null,
        lastTestedVersion: 3,
      })
    })
  })

  describe('by its sessions', () => {
    let line: TestLine
    let sessions: Sessions
    let handle: SessionsOptions['handle']
    let confirm: SessionsOptions['confirm']
    let lines: Record<string, unknown>[]

    beforeEach(async () => {
      const { log, lines: written } = memoryLog()
      lines = written
      const account = await addSmppAccount(context, 'smsc', { port: smsc.port })
      line = await createLine(context, { carrierAccount: 'smsc' })
      handle = (delivery) => receiveDelivery(context, account, delivery)
      confirm = (ids) => confirmArrivals(context.db, ids)
      sessions = holdSessions({
        name: 'smsc',
        settings: account.settings,
        hosts: context.carrierFetch,
        log,
        handle: (delivery) => handle(delivery),
        keepUnclear: () => Promise.resolve(),
        confirm: (ids) => confirm(ids),
      })
      account.openSessionIds = () => sessions.openSessionIds()
    })
    afterEach(() => sessions.close())

    const bring = (text: string) => {
      smsc.bring(inboundOf(ANNA, line.number, text))
    }
    const untilConfirmed = () =>
      until('it is confirmed', async () => (await countRows(context, 'smpp_inbound')) === 0)

    it('confirms what the SMSC has read', async () => {
      bring('Hi')
      await until('it is answered', () => smsc.answers.length === 1)
      await untilConfirmed()
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Hi'])
    })

    it('confirms later what it could not confirm while Postgres was away', async () => {
      const inner = confirm
      let tries = 0
      confirm = (ids) => {
        tries += 1
        return tries === 1 ? Promise.reject(new Unavailable('Postgres is not available')) : inner(ids)
      }
      bring('Hi')
      await until('it is answered', () => smsc.answers.length === 1)
      await untilConfirmed()
      expect(tries).to.equal(2)
    })

    it('makes one message of what was committed, but not answered before the connection was lost', async () => {
      const inner = handle
      let count = 0
      handle = async (delivery) => {
        const handled = await inner(delivery)
        count += 1
        if (count === 1) smsc.cut()
        return handled
      }
      bring('Hi')
      await until('it came again and is answered', () => smsc.answers.length === 1)
      expect(count).to.equal(2)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Hi'])
      await untilConfirmed()
    })

    it('makes one message of what was committed, although nobody heard of it', async () => {
      const inner = handle
      let isHeard = false
      handle = async (delivery) => {
        const handled = await inner(delivery)
        if (isHeard) return handled
        isHeard = true
        throw new Unavailable('Postgres did not respond')
      }
      bring('Hi')
      await until('it is answered', () => smsc.answers.length === 1)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Hi'])
      await untilConfirmed()
    })

    it('answers nothing while Postgres is away, and goes on when it is back', async () => {
      const inner = handle
      let isAway = true
      let tries = 0
      handle = (delivery) => {
        tries += 1
        return isAway ? Promise.reject(new Unavailable('Postgres is not available')) : inner(delivery)
      }
      for (const text of ['Hi', 'Are you there?']) bring(text)
      await until('both are tried again', () => tries >= 4)
      expect(smsc.answers).to.deep.equal([])
      expect(smsc.waitingCount()).to.equal(2)
      isAway = false
      await until('both are answered', () => smsc.answers.length === 2)
      expect(await receivedTexts(context, line.lineId)).to.have.members(['Hi', 'Are you there?'])
      // One line for all that wait, however often they are tried.
      expect(lines.filter(({ msg }) => msg === 'smpp.delivery_waits')).to.have.length(1)
    })

    it('leaves what fails for a bug with the SMSC for later', async () => {
      const inner = handle
      let isBroken = true
      handle = (delivery) => {
        if (!isBroken) return inner(delivery)
        isBroken = false
        return Promise.reject(new TypeError('a bug'))
      }
      bring('Hi')
      await until('it came again and is answered', () => smsc.answers.length === 1)
      expect(smsc.answers).to.deep.equal([0])
    })

    it('answers what it holds when it is closed, and leaves what comes after that', async () => {
      const inner = handle
      let go: () => void = () => undefined
      const held = new Promise<void>((resolve) => (go = resolve))
      let isHeld = false
      handle = async (delivery) => {
        isHeld = true
        await held
        return inner(delivery)
      }
      bring('held')
      await until('it is held', () => isHeld && smsc.waitingCount() === 1 && binds() === 1)
      await until('the session is open', () => sessions.openSessionIds().length === 1)
      const closing = sessions.close()
      bring('later')
      go()
      await closing
      expect(smsc.answers).to.deep.equal([0])
      expect(smsc.waitingCount()).to.equal(1)
      expect(await receivedTexts(context, line.lineId)).to.deep.equal(['held'])
      expect(await countRows(context, 'smpp_inbound')).to.equal(0)
    })
  })
})

/** A database that does not answer for as long as it is cut off. */
function cutOff(db: Database, isCut: () => boolean): Database {
  return new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'raw') return value
      return (...args: Parameters<Database['raw']>) =>
        isCut()
          ? Promise.reject(Object.assign(new Error('cut off'), { code: 'ECONNREFUSED' }))
          : target.raw(...args)
    },
  })
}
