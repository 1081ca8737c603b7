import { expect } from 'chai'
import { readdirSync } from 'node:fs'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { createEnvironment, type Environment } from '../helpers/process/environment.js'
import { createEmptyDatabase } from '../helpers/services/services.js'
import { answer, jsonAnswer } from './linehook.js'

describe('linehook migrate', () => {
  const names = readdirSync('migrations')
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
  let environment: Environment
  let db: Database

  before(async () => {
    const DATABASE_URL = await createEmptyDatabase()
    environment = await createEnvironment({ DATABASE_URL })
    db = connectDatabase({ url: DATABASE_URL, poolSize: 1, applicationName: 'test' })
  })

  after(() => db.destroy())

  it('makes the whole schema in an empty database, and names the migrations', async () => {
    expect(await answer(environment, 'migrate')).to.deep.equal(names.map((name) => `migrated ${name}`))
    expect(await db('messages').select('id')).to.deep.equal([])
  })

  it('does nothing the second time', async () => {
    expect(await answer(environment, 'migrate')).to.deep.equal(['The schema is up to date.'])
    expect(await jsonAnswer(environment, 'migrate')).to.deep.equal({ migrations: [] })
  })

  it('goes on where one was killed', async () => {
    await db('knex_migrations_lock').update({ is_locked: 1 })
    expect(await answer(environment, 'migrate')).to.deep.equal(['The schema is up to date.'])
  })
})
