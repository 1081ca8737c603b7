import { expect } from 'chai'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { listFunctions } from '../../src/database/functions.js'
import { migrate } from '../../src/database/migrations.js'
import { createTestDatabase } from '../helpers/services/services.js'

describe('the functions of the schema', () => {
  let db: Database

  before(async () => {
    db = connectDatabase({ url: await createTestDatabase(), poolSize: 2, applicationName: 'test' })
  })
  after(() => db.destroy())

  it('have a file each, of their name', async () => {
    const made = await db('pg_proc')
      .whereRaw(`pronamespace = 'public'::regnamespace`)
      .orderByRaw('proname collate "C"')
      .pluck<string[]>('proname')
    expect(made).to.deep.equal(listFunctions())
  })

  it('are made again as they are in their files, also when no migration is left to run', async () => {
    await db.raw(`create or replace function window_length() returns interval language sql immutable
      as $$ select interval '1 hour' $$`)
    expect(await migrate(db)).to.deep.equal([])
    const { rows } = await db.raw<{ rows: object[] }>(
      'select extract(epoch from window_length())::float8 as seconds',
    )
    expect(rows).to.deep.equal([{ seconds: 60.05 }])
  })
})
