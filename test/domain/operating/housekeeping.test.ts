import { expect } from 'chai'
import { insertNotices } from '../../../src/database/operating/notices.js'
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { deleteEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import { runHousekeeping } from '../../../src/domain/operating/housekeeping.js'
import { Unavailable } from '../../../src/errors.js'
import { newId } from '../../../src/ids.js'
import { StorageFailed } from '../../../src/storage/storage.js'
import { openHolder } from '../../database/hold.js'
import { createJoinedContext, describeContext } from '../../helpers/context.js'
import { createLine, own } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { lowestIdAt } from '../../helpers/lowest-id.js'
import { connect, createApplication } from '../applications/applications.js'
import { createPerson } from '../people/people.js'
import { ago, countRows, receiveForDelivery, withoutRoom } from '../fixtures.js'

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

  it('deletes what is past its time, and looks for the bounds of what may still move', async () => {
    const { id: user_id } = await createPerson(context)
    const ofPortal = { user_id, line_ids: [], made_by: user_id }
    // Each is deleted after the first of two numbers of days, and not after the second.
    const kept: [table: string, time: string, days: [number, number], row: (key: string) => object][] = [
      ['tasks', 'ended_at', [31, 29], (id) => ({ id, kind: 'replay', status: 'done', asked: {} })],
      [
        'portal_links',
        'expires_at',
        [1, -1],
        (key) => ({ token_hash: key, session_seconds: 1, ...ofPortal }),
      ],
      ['portal_sessions', 'expires_at', [1, -1], (id) => ({ id, token_hash: id, ...ofPortal })],
      ['dispatches', 'settled_at', [8, 6], (id) => ({ id, kind: 'reset_link', status: 'sent', user_id })],
      ['country_hours', 'hour', [32, 30], () => ({ user_id, country: 'JM', accepted: 1 })],
      ['notice_causes', 'ended_at', [8, 6], (subject) => ({ subject, kind: 'aged' })],
    ]
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    const young: Date[] = []
    for (const [table, time, [old, fresh], row] of kept) {
      const at = daysAgo(fresh)
      young.push(at)
      await context.db(table).insert([daysAgo(old), at].map((each) => ({ ...row(newId()), [time]: each })))
    }
    await context.db('live_bounds').update({ found_at: ago(context, '2 hours') })
    await runHousekeeping(context)
    const left: unknown[] = []
    for (const [table, time] of kept) left.push(...(await context.db(table).pluck<Date[]>(time)))
    expect(left).to.deep.equal(young)
    const found = context.db('live_bounds').where('found_at', '>', ago(context, '1 minute'))
    expect(await found.pluck('parent')).to.have.members(['messages', 'deliveries'])
  })

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

  it('ends events that wait for what is gone, if an outage kept them from ending with it', async () => {
    const gone = { outgoingUrl: 'http://127.0.0.1:9/events' }
    const [deleted, kept] = [await createLine(context, gone), await createLine(context, gone)]
    const [left, stays] = [await createLine(context), await createLine(context)]
    const application = await createApplication(context, {
      webhookUrl: gone.outgoingUrl,
      optInEvents: ['lineDisconnected'],
    })
    await context.db('endpoints').update({ disabled_at: context.db.fn.now(), disabled_reason: 'failing' })
    await connect(context, application, left)
    await connect(context, application, stays)
    const lines = [deleted, kept, left, stays]
    for (const line of lines) await receiveForDelivery(context, line)
    await context.db('deliveries').update({ status: 'held' })
    await withoutRoom(context, 'update on deliveries', async () => {
      await deleteEndpoint(context, ...own(deleted))
      await endAuthorizations(context, left.userId, application.id, left.lineId)
    })
    const statuses = async () =>
      Promise.all(
        lines.map(({ lineId }) =>
          context.db('deliveries').where({ line_id: lineId }).orderBy('id').pluck<string[]>('status'),
        ),
      )
    expect(await statuses()).to.deep.equal([['held'], ['held'], ['held', 'held'], ['held']])
    await runHousekeeping(context)
    expect(await statuses()).to.deep.equal([['exhausted'], ['held'], ['exhausted', 'held'], ['held']])
  })

  it('waits for a database that is away', async () => {
    expect(await failure(whenRemoving(new Unavailable('away', 1)))).to.be.instanceOf(Unavailable)
    expect(await countRows(context, 'notices')).to.equal(1)
  })
})
