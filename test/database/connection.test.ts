import { expect } from 'chai'
import {
  available,
  connectDatabase,
  isDatabaseUnavailable,
  transaction,
  type Database,
} from '../../src/database/connection.js'
import { Unavailable } from '../../src/errors.js'
import { createTestDatabase } from '../helpers/services.js'
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
  afterEach(() => {
    proxy.goUp()
  })

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
    const ours = transaction(db, async (trx) => {
      runCount += 1
      await trx.raw(`set local deadlock_timeout = '10ms'`)
      await trx('notes').where({ id: 2 }).forUpdate().select()
      if (runCount === 1) await other('notes').where({ id: 1 }).forUpdate().select()
      if (runCount === 1) void waitForOurs()
      await trx('notes').where({ id: 1 }).forUpdate().select()
    })
    let theirs: Promise<unknown> = Promise.resolve()
    async function waitForOurs(): Promise<void> {
      theirs = Promise.resolve(other('notes').where({ id: 2 }).forUpdate().select()).finally(() =>
        other.commit(),
      )
      await theirs
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
    expect(await failureOf(available(() => db.raw('select nonsense')))).to.have.property('code', '42703')
  })

  it('that cannot be made is called Unavailable, within a moment', async () => {
    proxy.goDown()
    const startedAt = Date.now()
    expect(await failureOf(transaction(db, (trx) => trx('notes').select()))).to.be.instanceOf(Unavailable)
    expect(await failureOf(available(() => Promise.resolve(db('notes').select())))).to.be.instanceOf(
      Unavailable,
    )
    expect(Date.now() - startedAt).to.be.below(8000)
  })

  it('is back without anybody’s help', async () => {
    proxy.goDown()
    await failureOf(available(() => Promise.resolve(db('notes').select())))
    proxy.goUp()
    const rows = await until('Postgres answers', () => available(() => Promise.resolve(db('notes').select())))
    expect(rows).to.have.length(2)
  })

  it('is Unavailable when all of the pool’s are busy for too long', async () => {
    const busy = await Promise.all([db.transaction(), db.transaction()])
    try {
      expect(await failureOf(available(() => Promise.resolve(db('notes').select())))).to.be.instanceOf(
        Unavailable,
      )
    } finally {
      await Promise.all(busy.map((trx) => trx.rollback()))
    }
  })

  it('is Unavailable when a statement takes too long', async () => {
    expect(await failureOf(available(() => db.raw('select pg_sleep(5)')))).to.be.instanceOf(Unavailable)
  })

  it('has a cause that says what happened', async () => {
    const thrown = await failureOf(available(() => db.raw('select pg_sleep(5)')))
    expect((thrown as Unavailable).cause).to.have.property('code', '57014')
    expect(isDatabaseUnavailable((thrown as Unavailable).cause)).to.equal(true)
  })

  for (const [error, isUnavailable] of [
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    [Object.assign(new Error('x'), { code: '57P01' }), true],
    [Object.assign(new Error('x'), { code: '08006' }), true],
    [Object.assign(new Error('x'), { code: '53300' }), true],
    [Object.assign(new Error('x'), { code: '40P01' }), true],
    [new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })], ''), true],
    [Object.assign(new Error('x'), { code: '23505' }), false],
    [new Error('something else'), false],
    ['ECONNREFUSED', false],
  ] as const) {
    it(`tells ${isUnavailable ? 'an outage' : 'a fault of ours'} by ${JSON.stringify(error)} ${String(error)}`, () => {
      expect(isDatabaseUnavailable(error)).to.equal(isUnavailable)
    })
  }

  async function backendOf(trx: Database): Promise<number> {
    const { rows } = await trx.raw<{ rows: { pid: number }[] }>('select pg_backend_pid() as pid')
    return rows[0]!.pid
  }
})
