import { lowestIdAt } from '../helpers/lowest-id.js'
import { expect } from 'chai'
import { connectDatabase, within, type Database } from '../../src/database/connection.js'
import { ensurePartitions } from '../../src/database/partitions.js'
import { createTestDatabase } from '../helpers/services/services.js'
import { failure } from '../helpers/failure.js'
import { monthAgo, nameOf } from '../domain/operating/retention/past.js'

const TABLES = ['audit_log', 'delivery_attempts', 'deliveries', 'events', 'listener_attempts', 'messages']

describe('the partitions', () => {
  let db: Database

  beforeEach(async () => {
    db = connectDatabase({ url: await createTestDatabase(), poolSize: 4, applicationName: 'test' })
  })
  afterEach(() => db.destroy())

  const monthAhead = (months: number) => monthAgo(-months)

  async function partitionsOf(table: string): Promise<string[]> {
    const { rows } = await db.raw<{ rows: { name: string }[] }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = ?::regclass order by 1`,
      [table],
    )
    return rows.map(({ name }) => name)
  }

  async function insertMessage(id: string): Promise<string> {
    await db('messages').insert({
      id,
      user_id: id,
      line_id: id,
      direction: 'outbound',
      source: 'webhook',
      from_number: '+15550000001',
      to_number: '+15550000002',
      status: 'sent',
    })
    const row = await db('messages')
      .where({ id })
      .first<{ partition: string }>(db.raw('tableoid::regclass::text as partition'))
    return row.partition
  }

  it('divide the big tables by range of their id, with a default partition', async () => {
    const { rows } = await db.raw<{ rows: object[] }>(
      `select partrelid::regclass::text as name, partstrat as strategy, partnatts as columns, partdefid::regclass::text as "default",
         attname as key
       from pg_partitioned_table join pg_attribute on attrelid = partrelid and attnum = partattrs[0] order by 1`,
    )
    expect(rows).to.deep.equal(
      TABLES.toSorted().map((name) => ({
        name,
        strategy: 'r',
        columns: 1,
        default: `${name}_default`,
        key: 'id',
      })),
    )
  })

  it('are there for this month and the next two', async () => {
    for (const table of TABLES) {
      expect(await partitionsOf(table)).to.deep.equal([
        ...[0, 1, 2].map((months) => nameOf(table, monthAhead(months))),
        `${table}_default`,
      ])
    }
  })

  it('hold the ids of their month, from its first millisecond to its last', async () => {
    const [first, next] = [monthAhead(1), monthAhead(2)]
    expect(await insertMessage(lowestIdAt(first))).to.equal(nameOf('messages', first))
    expect(await insertMessage(lowestIdAt(new Date(next.getTime() - 1)))).to.equal(nameOf('messages', first))
    expect(await insertMessage(lowestIdAt(next))).to.equal(nameOf('messages', next))
  })

  it('without one for its month a row goes to the default partition', async () => {
    expect(await insertMessage(lowestIdAt(monthAhead(7)))).to.equal('messages_default')
    expect(await insertMessage(lowestIdAt(new Date('2020-02-29T12:00:00Z')))).to.equal('messages_default')
  })

  it('that are missing are made, and doing it twice is harmless', async () => {
    const missing = nameOf('events', monthAhead(2))
    await db.raw('drop table ??', [missing])
    expect(await ensurePartitions(db)).to.equal(1)
    expect(await partitionsOf('events')).to.include(missing)
    expect(await ensurePartitions(db)).to.equal(0)
  })

  it('that are missing are made once by several processes at the same time', async () => {
    for (const table of TABLES) await db.raw('drop table ??', [nameOf(table, monthAhead(1))])
    const counts = await Promise.all(Array.from({ length: 4 }, () => ensurePartitions(db)))
    expect(counts.reduce((sum, count) => sum + count)).to.equal(TABLES.length)
    expect(await partitionsOf('messages')).to.include(nameOf('messages', monthAhead(1)))
  })

  it('get the rows that came while there was none, those of the audit log too, which stays guarded', async () => {
    const id = lowestIdAt(monthAhead(-1))
    const oldest = lowestIdAt(monthAhead(-14))
    // The clock of its process had not been set.
    const ofNoTime = lowestIdAt(new Date(1000))
    for (const each of [id, oldest, ofNoTime]) {
      expect(await insertMessage(each)).to.equal('messages_default')
      await db('audit_log').insert({ id: each, actor_kind: 'user', action: 'x' })
    }
    for (const table of ['messages', 'audit_log']) {
      const { rows: moved } = await db.raw<{ rows: object[] }>('select move_out_of_default(?) as count', [
        table,
      ])
      expect(moved).to.deep.equal([{ count: '3' }])
      const found = await db(table)
        .orderBy('id')
        .select<object[]>('id', db.raw('tableoid::regclass::text as partition'))
      expect(found).to.deep.equal([
        { id: ofNoTime, partition: `${table}_197001` },
        { id: oldest, partition: nameOf(table, monthAhead(-14)) },
        { id, partition: nameOf(table, monthAhead(-1)) },
      ])
      expect(await partitionsOf(table)).to.have.members([
        `${table}_default`,
        `${table}_197001`,
        ...[-14, -1, 0, 1, 2].map((months) => nameOf(table, monthAhead(months))),
      ])
      await db.raw('select move_out_of_default(?)', [table])
    }
    expect(await ensurePartitions(db)).to.equal(0)
    for (const sql of ['truncate audit_log_default', 'delete from audit_log'])
      expect(await db.raw(sql).catch(({ message }: Error) => message)).to.include('is append-only')
  })

  it('are made later where somebody reads a table for long, and nobody waits behind that', async () => {
    const missing = nameOf('messages', monthAhead(2))
    await db.raw('drop table ??', [missing])
    const backup = await db.transaction()
    await backup.raw('set local idle_in_transaction_session_timeout = 0')
    await backup('messages').first('id')
    const making = ensurePartitions(db)
    for (;;) {
      const isOver = await Promise.race([
        making.then(() => true),
        db('messages')
          .first('id')
          .then(() => false),
      ])
      if (isOver) break
      // As often as the lock is tried, and never for as long as the backup.
      await within(db, 2000, (trx) => trx('messages').first('id'))
    }
    expect(await making).to.equal(0)
    await backup.commit()
    expect(await ensurePartitions(db)).to.equal(1)
    expect(await partitionsOf('messages')).to.include(missing)
  })

  it('cannot be made for a month whose rows are in the default one: these stay, and the rest is made', async () => {
    for (const months of [1, 2]) await db.raw('drop table ??', [nameOf('messages', monthAhead(months))])
    const id = lowestIdAt(monthAhead(1))
    await insertMessage(id)
    expect(await ensurePartitions(db)).to.equal(1)
    const partitions = await partitionsOf('messages')
    expect(partitions).not.to.include(nameOf('messages', monthAhead(1)))
    expect(partitions).to.include(nameOf('messages', monthAhead(2)))
    expect(await db('messages').where({ id }).pluck('id')).to.deep.equal([id])
  })

  it('keep an id unique', async () => {
    const id = lowestIdAt(monthAhead(0))
    await insertMessage(id)
    expect(await failure(insertMessage(id))).to.have.property('code', '23505')
  })
})
