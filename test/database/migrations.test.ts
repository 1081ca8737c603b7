import { expect } from 'chai'
import { readdirSync } from 'node:fs'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { createFunctions } from '../../src/database/functions.js'
import { migrate, migrationSource } from '../../src/database/migrations.js'
import { createEmptyDatabase } from '../helpers/services/services.js'

const KNEX_TABLES = ['knex_migrations', 'knex_migrations_lock']

describe('the migrations', () => {
  let db: Database
  let names: string[]

  before(async () => {
    db = connectDatabase({ url: await createEmptyDatabase(), poolSize: 2, applicationName: 'test' })
    names = readdirSync('migrations')
      .filter((file) => file.endsWith('.ts'))
      .map((file) => file.replace(/\.ts$/, ''))
  })
  after(() => db.destroy())

  /** Everything in the schema but what extensions and knex itself put there. */
  async function publicObjects(): Promise<string[]> {
    const { rows } = await db.raw<{ rows: { name: string }[] }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S', 'v', 'm', 'i', 'I')
       union all select proname from pg_proc where pronamespace = 'public'::regnamespace
       union all select typname from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
       order by name`,
    )
    return rows.map(({ name }) => name).filter((name) => !name.startsWith('knex_migrations'))
  }

  /** Columns, indexes and function bodies, in words that can be compared. */
  async function schema(): Promise<object[]> {
    const { rows } = await db.raw<{ rows: object[] }>(
      `select table_name, column_name, data_type, column_default, is_nullable from information_schema.columns
         where table_schema = 'public'
       union all select tablename, indexname, indexdef, null, null from pg_indexes where schemaname = 'public'
       union all select proname, pg_get_functiondef(oid), null, null, null from pg_proc where pronamespace = 'public'::regnamespace
       union all select conrelid::regclass::text, conname, pg_get_constraintdef(oid), null, null from pg_constraint
         where connamespace = 'public'::regnamespace
       order by 1, 2, 3`,
    )
    return rows
  }

  it('make the schema, undo all of it, and make the same again', async () => {
    expect(await migrate(db)).to.deep.equal(names)
    const first = await schema()
    expect(await publicObjects()).to.include.members(['messages', 'lines', 'queue_messages', 'messages_due'])

    await db.migrate.rollback({ migrationSource: migrationSource() }, true)
    expect(await publicObjects()).to.deep.equal([])
    const left = await db('pg_tables')
      .where({ schemaname: 'public' })
      .orderBy('tablename')
      .pluck<string[]>('tablename')
    expect(left).to.deep.equal(KNEX_TABLES)

    expect(await migrate(db)).to.deep.equal(names)
    expect(await schema()).to.deep.equal(first)
  })

  it('bring no account and no password with them', async () => {
    expect(await db('users').select('id')).to.deep.equal([])
    for (const table of ['set_up_links', 'sessions', 'api_tokens', 'applications', 'lines']) {
      expect(await db(table).select('*'), table).to.deep.equal([])
    }
  })

  it('can each be undone by themselves', async () => {
    for (const name of names.toReversed()) {
      const before = await schema()
      await db.migrate.down({ migrationSource: migrationSource() })
      expect(await schema(), name).not.to.deep.equal(before)
      await db.migrate.up({ migrationSource: migrationSource() })
      await createFunctions(db)
      expect(await schema(), name).to.deep.equal(before)
      await db.migrate.down({ migrationSource: migrationSource() })
    }
    await migrate(db)
  })

  it('are recorded by names without an extension, so that sources and compiled files are one', async () => {
    const recorded = await db('knex_migrations').orderBy('id').pluck<string[]>('name')
    expect(recorded).to.deep.equal(names)
    for (const name of recorded) expect(name).to.match(/^\d{14}_\w+$/)
  })

  it('do nothing when the schema is up to date', async () => {
    expect(await migrate(db)).to.deep.equal([])
  })

  it('run once when two processes start at the same time', async () => {
    const url = await createEmptyDatabase()
    const pools = [1, 2].map(() => connectDatabase({ url, poolSize: 2, applicationName: 'test' }))
    try {
      const results = await Promise.allSettled(pools.map(migrate))
      const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      expect(done.filter((made) => made.length > 0)).to.deep.equal([names])
      expect(await pools[0]!('knex_migrations').pluck('name')).to.have.length(names.length)
      expect(await pools[0]!('knex_migrations_lock').pluck('is_locked')).to.deep.equal([0])
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()))
    }
  })
})
