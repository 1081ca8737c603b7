import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase, poolUse, transaction, type Database } from '../../src/database/connection.js'
import { CannotConnect, DatabaseUnavailable, mayBeDone, outageOf } from '../../src/database/outage.js'
import { Unavailable } from '../../src/errors.js'
import { createTestDatabase } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'
import { startProxy, type Proxy } from './proxy.js'

describe('the connection to Postgres', () => {
  let db: Database
  let direct: Database
  let proxy: Proxy

  before(async () => {
    const url = await createTestDatabase()
    proxy = await startProxy(url)
    direct = connectDatabase({ url, poolSize: 2, applicationName: 'direct' })
    db = connectDatabase({ url: proxy.url, poolSize: 2, applicationName: 'test', statementTimeoutMs: 300 })
    await direct.raw('create table notes (id integer primary key)')
  })
  after(async () => {
    await db.destroy()
    await direct.destroy()
    await proxy.close()
  })
  beforeEach(async () => {
    await direct('notes').delete()
    await direct('notes').insert([{ id: 1 }, { id: 2 }])
  })
  const opened: Database[] = []
  afterEach(async () => {
    proxy.goUp()
    for (const pool of opened.splice(0)) await pool.destroy()
  })

  /** Another pool than `db`, for one test. */
  function openPool(
    poolSize: number,
    options: Partial<Parameters<typeof connectDatabase>[0]> = {},
  ): Database {
    const pool = connectDatabase({ url: proxy.url, poolSize, applicationName: 'test', ...options })
    opened.push(pool)
    return pool
  }

  const failureOf = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error)

  it('that is lost in a transaction is replaced, and the transaction runs once more', async () => {
    let runCount = 0
    await transaction(db, async (trx) => {
      runCount += 1
      await trx('notes').insert({ id: 3 })
      if (runCount === 1) await direct.raw('select pg_terminate_backend(?)', [await backendOf(trx)])
      await trx('notes').insert({ id: 4 })
    })
    expect(runCount).to.equal(2)
    expect(await direct('notes').orderBy('id').pluck('id')).to.deep.equal([1, 2, 3, 4])
  })

  it('to a server that has become read-only is tried once more', async () => {
    let runCount = 0
    await transaction(db, async (trx) => {
      runCount += 1
      if (runCount === 1) await trx.raw('set transaction read only')
      await trx('notes').insert({ id: 3 })
    })
    expect(runCount).to.equal(2)
  })

  it('that has to give way in a deadlock is tried once more', async () => {
    const other = await direct.transaction()
    let runCount = 0
    let theirs: Promise<unknown> = Promise.resolve()
    const ours = transaction(openPool(1), async (trx) => {
      runCount += 1
      // Else the second run may be quicker than the one that it has given way to.
      if (runCount === 2) await theirs
      await trx.raw(`set local deadlock_timeout = '10ms'`)
      await trx('notes').where({ id: 2 }).forUpdate().select()
      if (runCount === 1) await other('notes').where({ id: 1 }).forUpdate().select()
      if (runCount === 1) await otherWaits()
      await trx('notes').where({ id: 1 }).forUpdate().select()
    })
    /** So it is ours that closes the circle, and ours looks after 10 ms whether there is one. */
    async function otherWaits(): Promise<void> {
      theirs = (async () => {
        await other('notes').where({ id: 2 }).forUpdate().select()
        await other.commit()
      })()
      await until('the other one waits', async () => {
        const { rows } = await direct.raw<{ rows: unknown[] }>(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
    }
    await ours
    await theirs
    expect(runCount).to.equal(2)
  })

  it('fails for good when a statement is wrong, without a second run', async () => {
    let runCount = 0
    const thrown = await failureOf(
      transaction(db, async (trx) => {
        runCount += 1
        await trx('notes').insert({ id: 1 })
      }),
    )
    expect(thrown).to.have.property('code', '23505')
    expect(runCount).to.equal(1)
    expect(await failureOf(db.raw('select nonsense'))).to.have.property('code', '42703')
  })

  it('that cannot be made is called Unavailable, within a moment', async () => {
    proxy.goDown()
    const startedAt = Date.now()
    expect(await failureOf(transaction(db, (trx) => trx('notes').select()))).to.be.instanceOf(Unavailable)
    expect(await failureOf(Promise.resolve(db('notes').select()))).to.be.instanceOf(Unavailable)
    expect(Date.now() - startedAt).to.be.below(8000)
  })

  describe('of a role whose password is changed', () => {
    const role = 'changed'
    const urlWith = (password: string) => {
      const url = new URL(proxy.url)
      url.username = role
      url.password = password
      return url.href
    }
    const changePassword = (password: string) => direct.raw(`alter role ${role} password '${password}'`)

    before(() => direct.raw(`create role ${role} login password 'first'`))
    after(() => direct.raw(`drop role ${role}`))

    it('goes on with the connections that are open, and says why there are no more', async () => {
      await changePassword('first')
      const pool = openPool(3, { url: urlWith('first'), acquireTimeoutMs: 4000 })
      await pool.raw('select 1')
      await changePassword('second')
      // One connection is open, so all of these but one would need another.
      const waiting = Array.from({ length: 5 }, () => pool.raw('select pg_sleep(0.05)'))
      expect((await Promise.allSettled(waiting)).map(({ status }) => status)).to.deep.equal(
        waiting.map(() => 'fulfilled'),
      )
      const trx = await pool.transaction()
      const thrown = await failureOf(pool.raw('select 1'))
      await trx.commit()
      expect(thrown).to.be.instanceOf(CannotConnect).and.have.nested.property('cause.code', '28P01')
      expect(mayBeDone(thrown)).to.be.false
    })

    it('is Unavailable at once if none is open', async () => {
      await changePassword('second')
      const pool = openPool(3, { url: urlWith('first') })
      const startedAt = performance.now()
      const thrown = await failureOf(pool.raw('select 1'))
      expect(thrown).to.be.instanceOf(CannotConnect).and.have.property('outage', 'busy')
      expect((thrown as CannotConnect).isForPeople()).to.be.true
      expect(performance.now() - startedAt).to.be.below(4000)
    })
  })

  it('that needs a file that is not there is Unavailable', async () => {
    const url = `${proxy.url}?sslmode=verify-full&sslrootcert=/nosuch/root.pem`
    const thrown = await failureOf(openPool(1, { url }).raw('select 1'))
    expect(thrown).to.be.instanceOf(CannotConnect).and.have.nested.property('cause.code', 'ENOENT')
  })

  it('compiles no plans, which would take longer than the statements', async () => {
    const { rows } = await db.raw<{ rows: unknown[] }>('show jit')
    expect(rows).to.deep.equal([{ jit: 'off' }])
  })

  it('stays open while it is idle, whatever the database says: its end would meet the next statement', async () => {
    const url = await createTestDatabase()
    const other = openPool(1, { url })
    await other.raw(`alter database ?? set idle_session_timeout = '100ms'`, [new URL(url).pathname.slice(1)])
    const idle = openPool(1, { url })
    const pid = await backendOf(idle)
    await until('it has been idle for longer', async () => {
      const { rows } = await other.raw<{ rows: unknown[] }>(
        `select from pg_stat_activity where pid = ? and clock_timestamp() - state_change > interval '300 ms'`,
        [pid],
      )
      return rows.length > 0
    })
    expect(await backendOf(idle)).to.equal(pid)
  })

  it('is back without anybody’s help', async () => {
    proxy.goDown()
    await failureOf(Promise.resolve(db('notes').select()))
    proxy.goUp()
    const rows = await until('Postgres answers', () => Promise.resolve(db('notes').select()))
    expect(rows).to.have.length(2)
  })

  it('is Unavailable when all of the pool’s are busy for too long', async () => {
    const busy = await Promise.all([db.transaction(), db.transaction()])
    try {
      expect(await failureOf(Promise.resolve(db('notes').select()))).to.be.instanceOf(Unavailable)
    } finally {
      await Promise.all(busy.map((trx) => trx.rollback()))
    }
  })

  it('is Unavailable when a statement takes too long', async () => {
    expect(await failureOf(db.raw('select pg_sleep(5)'))).to.be.instanceOf(Unavailable)
  })

  it('has a cause that says what happened', async () => {
    const thrown = await failureOf(db.raw('select pg_sleep(5)'))
    expect((thrown as Unavailable).cause).to.have.property('code', '57014')
    expect(thrown).to.have.property('outage', 'busy')
  })

  describe('to a server that gives no answer', () => {
    it('is Unavailable by the name of it, without what was asked', async () => {
      await db.raw('select 1')
      proxy.freeze()
      const thrown = await failureOf(db.raw('select ?::text', ['a text of somebody']))
      expect(thrown).to.be.instanceOf(Unavailable).with.property('outage', 'silent')
      expect(String((thrown as Error).cause)).not.to.contain('a text of somebody')
    })

    it('is never used again, so that nobody’s statement runs in a transaction that was left in it', async () => {
      const stranger = () => db('notes').insert({ id: 9 })
      const begun = failureOf(
        transaction(db, async (trx) => {
          await trx('notes').insert({ id: 3 })
          proxy.freeze()
          await trx('notes').insert({ id: 4 })
        }),
      )
      expect(await begun).to.have.property('outage', 'silent')
      proxy.goUp()
      await until('Postgres answers', () => Promise.resolve(stranger()).then(() => true))
      await until('the transaction is over at the server', async () => (await openTransactions()) === 0)
      expect(await direct('notes').orderBy('id').pluck('id')).to.deep.equal([1, 2, 9])
    })

    it('is not asked what the others of the pool are asked: those at work go on', async () => {
      const other = await db.transaction()
      await other('notes').insert({ id: 5 })
      const hanging = failureOf(db.raw('select 1').then(() => db.transaction((trx) => stuck(trx))))
      expect(await hanging).to.have.property('outage', 'silent')
      await other('notes').insert({ id: 6 })
      await other.commit()
      expect(await direct('notes').orderBy('id').pluck('id')).to.deep.equal([1, 2, 5, 6])
    })

    it('while new ones work, costs one statement: the pool is whole again by itself', async () => {
      // After 300 ms `db` would give a statement up, which on a busy machine is before its connection is known to be dead.
      const patient = openPool(2)
      const useBoth = () =>
        Promise.all([patient.raw('select pg_sleep(0.05)'), patient.raw('select pg_sleep(0.05)')])
      await useBoth()
      proxy.abandonOpen()
      expect(await failureOf(patient.raw('select 1'))).to.have.property('outage', 'silent')
      await useBoth()
    })

    it('is given up, if it stops just as the connection is open', async () => {
      const patient = openPool(1, { openingMs: 500 })
      proxy.abandonOpened()
      expect(await failureOf(patient.raw('select 1'))).to.be.instanceOf(DatabaseUnavailable)
      proxy.goUp()
      await until('Postgres answers', () => patient.raw('select 1').then(() => true))
    })

    for (const how of ['freeze', 'abandonOpened'] as const) {
      it(`is not waited for when the pool is closed (${how})`, async () => {
        const patient = openPool(1, { openingMs: 60_000 })
        proxy[how]()
        const asked = failureOf(patient.raw('select 1'))
        await until('a connection is being opened', () => proxy.isStuck())
        await patient.destroy()
        expect(await asked).to.be.instanceOf(DatabaseUnavailable)
      })
    }

    it('is not waited for for ever when the pool is closed while it owes an answer', async () => {
      const patient = openPool(2)
      await patient.raw('select 1')
      proxy.swallowAnswers()
      const asked = failureOf(patient.raw('select 2'))
      await patient.destroy()
      expect(await asked).to.be.instanceOf(DatabaseUnavailable)
    })

    it('ends what a dead one was asked, so that nothing more can come of it', async () => {
      const patient = openPool(1)
      const pid = await backendOf(patient)
      proxy.abandonOpen()
      const thrown = await failureOf(Promise.resolve(patient('notes').insert({ id: 7 })))
      expect(thrown).to.be.instanceOf(DatabaseUnavailable).with.property('outage', 'silent')
      expect(await (thrown as DatabaseUnavailable).isOver()).to.be.true
      const { rows } = await direct.raw<{ rows: unknown[] }>('select from pg_stat_activity where pid = ?', [
        pid,
      ])
      expect(rows).to.have.length(0)
    })

    it('does not throw away one whose backend works: slow is not dead', async () => {
      const patient = openPool(1)
      // Longer than it takes to find a dead one.
      await patient.raw('select pg_sleep(2)')
      const pid = await backendOf(patient)
      await patient.raw('select pg_sleep(2)')
      expect(await backendOf(patient)).to.equal(pid)
    })

    it('that hangs: is kept, is lent to nobody until its answer comes, and then outside of its transaction', async () => {
      const pool = openPool(1, { statementTimeoutMs: 300 })
      const pid = await backendOf(pool)
      const hanging = failureOf(
        transaction(pool, async (trx) => {
          await trx('notes').insert({ id: 8 })
          proxy.freeze()
          await trx('notes').insert({ id: 9 })
        }),
      )
      const thrown = await hanging
      expect(thrown).to.have.property('outage', 'silent')
      expect(await (thrown as DatabaseUnavailable).isOver()).to.be.false
      expect(poolUse(pool)).to.include({ used: 1, free: 0 })
      proxy.goUp()
      await until('it is lent again', () => poolUse(pool).free === 1)
      expect(await backendOf(pool)).to.equal(pid)
      await pool('notes').insert({ id: 10 })
      expect(await direct('notes').orderBy('id').pluck('id')).to.deep.equal([1, 2, 10])
    })

    it('makes nobody else wait, once nothing has come for a moment', async () => {
      const pool = openPool(5)
      await pool.raw('select 1')
      proxy.freeze()
      const hanging = Promise.resolve(pool.raw('select 1'))
      await until('others are refused at once', async () => {
        const startedAt = performance.now()
        const thrown = await Promise.race([failureOf(pool.raw('select 2')), sleep(50, 'waits')])
        return thrown !== 'waits' && performance.now() - startedAt < 50
      })
      proxy.goUp()
      await hanging
      await pool.raw('select 3')
    })

    it('does not keep locks when it was left in a transaction: the server ends it', async () => {
      const { rows } = await direct.raw<{ rows: { ms: string }[] }>(
        `select setting as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`,
      )
      expect(Number(rows[0]!.ms)).to.be.within(1, 10_000)
    })

    /** The server cannot time this statement out: it never gets it. */
    async function stuck(trx: Database): Promise<void> {
      await trx.raw('select 1')
      proxy.abandonLast()
      await trx.raw('select 1')
    }

    async function openTransactions(): Promise<number> {
      const { rows } = await direct.raw<{ rows: { count: number }[] }>(
        `select count(*)::integer as count from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      )
      return rows[0]!.count
    }
  })

  it('that is lost at the end of a transaction is not followed by a second run: it may be committed', async () => {
    let runCount = 0
    const thrown = await failureOf(
      transaction(db, async (trx) => {
        runCount += 1
        await trx('notes').insert({ id: 3 })
        await direct.raw('select pg_terminate_backend(?)', [await backendOf(trx)])
      }),
    )
    expect(thrown).to.have.property('outage', 'lost')
    expect(runCount).to.equal(1)
  })

  for (const [error, outage] of [
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'lost'],
    [Object.assign(new Error('x'), { code: '57P01' }), 'lost'],
    [Object.assign(new Error('x'), { code: '25006' }), 'lost'],
    [Object.assign(new Error('x'), { code: '25P03' }), 'lost'],
    [Object.assign(new Error('x'), { code: '08006' }), 'lost'],
    [new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })], ''), 'lost'],
    [new Error('select 1 - Connection terminated unexpectedly'), 'lost'],
    [new Error('timeout expired'), 'busy'],
    [new Error('aborted'), 'busy'],
    [Object.assign(new Error('x'), { code: '53300' }), 'busy'],
    [Object.assign(new Error('x'), { code: '57014' }), 'busy'],
    [Object.assign(new Error('x'), { name: 'KnexTimeoutError' }), 'busy'],
    [Object.assign(new Error('x'), { code: '40P01' }), 'gave_way'],
    [Object.assign(new Error('x'), { code: '23505' }), undefined],
    [new Error('something else'), undefined],
    ['ECONNREFUSED', undefined],
  ] as const) {
    it(`calls ${JSON.stringify(error)} ${String(error)} ${outage ?? 'a fault of ours'}`, () => {
      expect(outageOf(error)).to.equal(outage)
    })
  }

  async function backendOf(trx: Database): Promise<number> {
    const { rows } = await trx.raw<{ rows: { pid: number }[] }>('select pg_backend_pid() as pid')
    return rows[0]!.pid
  }
})
