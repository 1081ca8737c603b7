import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { describeSchema, SCHEMA_FILE } from '../../dev/schema.js'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { createTestDatabase } from '../helpers/services/services.js'

describe('migrations/schema.sql', () => {
  let db: Database

  before(async () => {
    db = connectDatabase({ url: await createTestDatabase(), poolSize: 1, applicationName: 'test' })
  })
  after(() => db.destroy())

  it('is what the migrations make: `npm run schema` writes it', async () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).to.equal(await describeSchema(db))
  })
})
