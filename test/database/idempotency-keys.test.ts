import { expect } from 'chai'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { deleteExpiredKeys } from '../../src/database/messages/idempotency-keys.js'
import { newId } from '../../src/ids.js'
import { createTestDatabase } from '../helpers/services/services.js'

describe('idempotency keys', () => {
  let db: Database

  before(async () => {
    db = connectDatabase({ url: await createTestDatabase(), poolSize: 3, applicationName: 'test' })
  })
  after(() => db.destroy())
  beforeEach(() => db('idempotency_keys').delete())

  async function insertKey(key: string, age: string): Promise<void> {
    await db('idempotency_keys').insert({
      scope_id: newId(),
      key,
      request_hash: Buffer.alloc(32),
      message_id: newId(),
      created_at: db.raw('now() - ?::interval', [age]),
    })
  }

  const left = () => db('idempotency_keys').orderBy('key').pluck<string[]>('key')

  it('are deleted after 24 hours, not before', async () => {
    await insertKey('a fresh one', '0 seconds')
    await insertKey('just young enough', '23 hours 59 minutes')
    await insertKey('just too old', '24 hours 1 minute')
    await insertKey('old', '40 days')
    expect(await deleteExpiredKeys(db, 100)).to.equal(2)
    expect(await left()).to.deep.equal(['a fresh one', 'just young enough'])
    expect(await deleteExpiredKeys(db, 100)).to.equal(0)
  })

  it('are deleted no more than asked for at a time', async () => {
    for (const key of ['a', 'b', 'c']) await insertKey(key, '2 days')
    expect(await deleteExpiredKeys(db, 2)).to.equal(2)
    expect(await deleteExpiredKeys(db, 2)).to.equal(1)
  })

  it('that are just being used again are passed over', async () => {
    await insertKey('busy', '2 days')
    await insertKey('idle', '2 days')
    const other = await db.transaction()
    try {
      await other('idempotency_keys').where({ key: 'busy' }).update({ created_at: other.fn.now() })
      expect(await deleteExpiredKeys(db, 100)).to.equal(1)
    } finally {
      await other.commit()
    }
    expect(await left()).to.deep.equal(['busy'])
  })
})
