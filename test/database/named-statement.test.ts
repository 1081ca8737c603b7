import { expect } from 'chai'
import { connectDatabase, transaction, type Database } from '../../src/database/connection.js'
import { runNamed } from '../../src/database/named-statement.js'
import { createTestDatabase } from '../helpers/services/services.js'
import { failure } from '../helpers/failure.js'

describe('a named statement', () => {
  let url: string
  const opened: Database[] = []

  before(async () => {
    url = await createTestDatabase()
  })
  after(() => Promise.all(opened.map((db) => db.destroy())))

  function open(namesStatements?: boolean): Database {
    const settings = { url, poolSize: 1, applicationName: 'test' }
    const db = connectDatabase(namesStatements === undefined ? settings : { ...settings, namesStatements })
    opened.push(db)
    return db
  }

  const add = async (db: Database, a: number, b: number) =>
    (await runNamed<{ sum: number }>(db, 'sum', 'select ?::integer + ?::integer as sum', [a, b]))[0]?.sum
  const preparedIn = async (db: Database) =>
    (
      await db.raw<{ rows: { name: string; calls: number }[] }>(
        'select name, (generic_plans + custom_plans)::integer as calls from pg_prepared_statements',
      )
    ).rows

  it('is prepared once by its connection, also in transactions, and takes new values each time', async () => {
    const db = open()
    expect(await add(db, 1, 2)).to.equal(3)
    expect(await transaction(db, (trx) => add(trx, 3, 4))).to.equal(7)
    expect(await preparedIn(db)).to.deep.equal([{ name: 'linehook_sum', calls: 2 }])
  })

  it('fails for itself, and works again', async () => {
    const db = open()
    expect(await failure(add(db, 2_147_483_647, 1))).to.have.property('code', '22003')
    expect(await add(db, 1, 1)).to.equal(2)
  })

  it('has no name where a pooler could not keep it', async () => {
    const db = open(false)
    expect(await add(db, 1, 2)).to.equal(3)
    expect(await preparedIn(db)).to.deep.equal([])
  })
})
