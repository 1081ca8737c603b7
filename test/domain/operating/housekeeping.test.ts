import { expect } from 'chai'
import { insertNotices } from '../../../src/database/operating/notices.js'
import { runHousekeeping } from '../../../src/domain/operating/housekeeping.js'
import { Unavailable } from '../../../src/errors.js'
import { newId } from '../../../src/ids.js'
import { StorageFailed } from '../../../src/storage/storage.js'
import { openHolder } from '../../database/hold.js'
import { createJoinedContext, describeContext } from '../../helpers/context.js'
import { failure } from '../../helpers/failure.js'
import { lowestIdAt } from '../../helpers/lowest-id.js'
import { ago, countRows } from '../fixtures.js'

describeContext('housekeeping', (context) => {
  beforeEach(async () => {
    const id = newId()
    await context.db('media').insert({
      ...{ id, user_id: id, line_id: id, message_id: id, purpose: 'inbound', token: id },
      ...{ source_url: 'https://media.example.com/1', status: 'stored', storage_key: id },
      stored_at: ago(context, '31 days'),
    })
    const old = lowestIdAt(new Date(Date.now() - 91 * 24 * 60 * 60 * 1000))
    await insertNotices(context.db, [{ id: old, kind: 'aged', subject: '', userId: null, details: {} }])
  })

  afterEach(async () => {
    await context.db('media').delete()
    await context.db('notices').delete()
  })

  const whenRemoving = (error: Error) =>
    runHousekeeping({ ...context, storage: { ...context.storage, remove: () => Promise.reject(error) } })

  it('does all other chores when one fails', async () => {
    await whenRemoving(new StorageFailed('delete', new Error('not allowed')))
    expect(await countRows(context, 'notices')).to.equal(0)
    expect(await countRows(context, 'media')).to.equal(1)
  })

  it('does all other chores when one takes too long', async () => {
    const impatient = await createJoinedContext(context, {}, { statementTimeoutMs: 300 })
    const trx = await openHolder(context.db)
    try {
      await trx.raw('lock table sessions in exclusive mode')
      await runHousekeeping(impatient)
      expect(await countRows(context, 'notices')).to.equal(0)
    } finally {
      await trx.rollback()
      await impatient.close()
    }
  })

  it('waits for a database that is away', async () => {
    expect(await failure(whenRemoving(new Unavailable('away', 1)))).to.be.instanceOf(Unavailable)
    expect(await countRows(context, 'notices')).to.equal(1)
  })
})
