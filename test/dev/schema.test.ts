import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { ANSWERS_FILE, describeAnswers, describeSchema, SCHEMA_FILE } from '../../dev/schema.js'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { createTestDatabase } from '../helpers/services/services.js'

describe('what `npm run schema` writes', () => {
  let db: Database

  before(async () => {
    db = connectDatabase({ url: await createTestDatabase(), poolSize: 1, applicationName: 'test' })
  })
  after(() => db.destroy())

  it('is what the migrations make', async () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).to.equal(await describeSchema(db))
  })

  it('is what the functions answer', async () => {
    expect(readFileSync(ANSWERS_FILE, 'utf8')).to.equal(await describeAnswers(db))
  })
})
