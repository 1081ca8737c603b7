import { expect } from 'chai'
import { moveUnreadMarks } from '../../../../src/database/operating/retention/leftovers.js'
import { ensurePartitions } from '../../../../src/database/partitions.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import type { Context } from '../../../../src/domain/context.js'
import { applyRetention, tryRetention } from '../../../../src/domain/operating/retention/retention.js'
import { StorageFailed } from '../../../../src/storage/storage.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { failure } from '../../../helpers/failure.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { until } from '../../../helpers/until.js'
import { ANNA, BEN, changeRows, countWaitingForLocks, queueMessage } from '../../fixtures.js'
import { EVERYTHING, hasFile, idAt, insertPast, leftOf, makePartitions, monthAgo, nameOf } from './past.js'

const DAY_MS = 86_400_000

/** In the middle of a month. */
const amid = (month: Date) => new Date(month.getTime() + 14 * DAY_MS)
const partitionOf = async ({ db }: Context, name: string) => {
  const { rows } = await db.raw<{ rows: { isThere: boolean }[] }>(
    `select to_regclass(?) is not null as "isThere"`,
    [name],
  )
  return rows[0]?.isThere
}

describeContext('retention', (context) => {
  const [old, older, young] = [monthAgo(3), monthAgo(4), monthAgo(1)]
  let line: TestLine

  before(async () => {
    line = await createLine(context)
  })

  beforeEach(async () => {
    for (const month of [old, older, young]) await makePartitions(context, month)
  })

  afterEach(async () => {
    for (const table of [
      'messages',
      'events',
      'deliveries',
      'delivery_attempts',
      'media',
      'uploads',
      'line_peers',
      'retention_progress',
    ]) {
      await context.db(table).delete()
    }
  })

  const keeping = (days: Partial<Context['config']>): Context => ({
    ...context,
    config: { ...context.config, ...days },
  })
  const keepsDays = () => keeping({ messageRetentionDays: 40, excerptRetentionDays: 10 })
  const outcomes = async (of = keepsDays()) =>
    (await applyRetention(of)).months.map(({ kind, month, outcome, why }) => [kind, month, outcome, why])
  const name = (month: Date) => month.toISOString().slice(0, 7)

  it('keeps everything for ever unless it is told otherwise', async () => {
    const past = await insertPast(context, line, amid(older))
    expect(await applyRetention(context)).to.deep.include({ months: [], excerptCount: 0, mediaCount: 0 })
    expect(await leftOf(context, past)).to.deep.equal(EVERYTHING)
  })

  it('drops the months that are wholly older, with their media and what else belongs to them', async () => {
    const gone = [await insertPast(context, line, older), await insertPast(context, line, amid(old))]
    const kept = await insertPast(context, line, new Date(young.getTime() + 1000))
    await context.db('line_peers').insert([
      { line_id: line.lineId, number: ANNA, unread_id: gone[0]!.messageId },
      { line_id: line.lineId, number: BEN, unread_id: gone[1]!.messageId, opted_out_at: new Date() },
    ])
    const unreadFrom = () => context.db('line_peers').orderBy('number').pluck<(string | null)[]>('unread_id')
    expect(await outcomes()).to.deep.equal([
      ['messages', name(older), 'dropped', {}],
      ['messages', name(old), 'dropped', {}],
    ])
    for (const past of gone) expect(await leftOf(context, past)).to.deep.equal([])
    // Nobody could ever read what is gone.
    expect(await unreadFrom()).to.deep.equal([kept.messageId, null])
    expect(await leftOf(context, kept)).to.deep.equal(EVERYTHING)
    expect(await partitionOf(context, nameOf('messages', old))).to.equal(false)
    expect(await partitionOf(context, nameOf('audit_log', old))).to.equal(true)
    expect(await outcomes()).to.deep.equal([])
  })

  it('forgets numbers without a message that is kept, except opt-outs and those that wrote since', async () => {
    const numberOf = (n: number) => `+1500555020${n}`
    for (const n of [0, 1, 2, 3, 4]) await insertPast(context, line, amid(old), { number: numberOf(n) })
    await insertPast(context, line, new Date(young.getTime() + 1000), { number: numberOf(3) })
    const [long, since] = [amid(old), new Date(young.getTime() + 1000)]
    const times = { heard_at: [long], window_cleared_at: long, opted_in_at: long, help_answered_at: long }
    const rest = [
      { archived_at: long },
      { opted_out_at: long },
      { heard_at: [long, since] },
      {},
      { paused_until: since },
    ]
    for (const [n, each] of rest.entries())
      await context.db('line_peers').insert({ line_id: line.lineId, number: numberOf(n), ...times, ...each })
    await context.db('line_peers').insert({ line_id: line.lineId, number: numberOf(5) })
    await outcomes()
    expect(await context.db('line_peers').orderBy('number').pluck('number')).to.deep.equal(
      [1, 2, 3, 4].map(numberOf),
    )
  })

  it("drops the carriers' ids of accounts that were removed, too", async () => {
    const ids = () => context.db('carrier_message_ids').orderBy('carrier').pluck<string[]>('carrier')
    const again = () => context.db('carrier_message_ids_again').pluck<string[]>('carrier')
    await context.db('carrier_message_ids').delete()
    for (const carrier of ['another', 'simulator', 'the-last']) {
      const { messageId, carrierMessageId } = await insertPast(context, line, amid(old))
      await context.db('carrier_message_ids').where({ message_id: messageId }).update({ carrier })
      await context
        .db('carrier_message_ids_again')
        .insert({ carrier, carrier_message_id: carrierMessageId, message_id: messageId })
    }
    expect([await ids(), (await again()).length]).to.deep.equal([['another', 'simulator', 'the-last'], 3])
    await outcomes()
    expect([await ids(), await again()]).to.deep.equal([[], []])
  })

  it("drops the carriers' ids of parts, too", async () => {
    const { messageId, carrierMessageId } = await insertPast(context, line, amid(old))
    await changeRows(context, 'messages', messageId, { carrier_part_ids: ['p1', 'p2'] })
    const parts = ['p1', 'p2'].map((id) => ({ carrier_message_id: id, message_id: messageId }))
    await context.db('carrier_message_ids').insert(parts.map((each) => ({ carrier: 'simulator', ...each })))
    const left = () =>
      context.db('carrier_message_ids').where({ message_id: messageId }).pluck<string[]>('carrier_message_id')
    expect(await left()).to.have.members([carrierMessageId, 'p1', 'p2'])
    await outcomes()
    expect(await left()).to.deep.equal([])
  })

  it('drops uploads with the messages of their month, if these go before media do', async () => {
    const moments = [amid(older), amid(old), new Date(young.getTime() + 1000), new Date()]
    for (const [n, created_at] of moments.entries())
      await context
        .db('uploads')
        .insert({ token: `upload ${n}`, content_type: 'image/png', bytes: Buffer.from('x'), created_at })
    const left = () => context.db('uploads').orderBy('token').pluck<string[]>('token')
    await outcomes(keeping({ messageRetentionDays: 40, mediaRetentionDays: 3650 }))
    expect(await left()).to.deep.equal(['upload 2', 'upload 3'])
  })

  it('makes no conversation unread by what the line itself has sent since', async () => {
    const gone = await insertPast(context, line, amid(old))
    await queueMessage(context, line, { status: 'sent', to_number: ANNA })
    await context.db('line_peers').insert({ line_id: line.lineId, number: ANNA, unread_id: gone.messageId })
    await outcomes()
    expect(await leftOf(context, gone)).to.deep.equal([])
    expect(await context.db('line_peers').pluck('unread_id')).to.deep.equal([null])
  })

  it('leaves the uploads and the unread marks of an older month that stays', async () => {
    const kept = await insertPast(context, line, amid(older), { number: ANNA, delivery: { status: 'held' } })
    await context.db('line_peers').delete()
    await context.db('line_peers').insert({ line_id: line.lineId, number: ANNA, unread_id: kept.messageId })
    await context
      .db('uploads')
      .insert({ token: 'kept', content_type: 'image/png', bytes: Buffer.from('x'), created_at: amid(older) })
    expect(await outcomes(keeping({ messageRetentionDays: 40, mediaRetentionDays: 3650 }))).to.deep.equal([
      ['messages', name(older), 'kept', { heldDeliveries: 1 }],
      ['messages', name(old), 'dropped', {}],
    ])
    expect(await context.db('line_peers').pluck('unread_id')).to.deep.equal([kept.messageId])
    expect(await context.db('uploads').pluck('token')).to.deep.equal(['kept'])
  })

  it('leaves a conversation unread in which a message comes in at the same moment', async () => {
    const past = await insertPast(context, line, amid(old))
    await context.db('line_peers').insert({ line_id: line.lineId, number: ANNA, unread_id: past.messageId })
    const receiving = await context.db.transaction()
    const id = await queueMessage({ ...context, db: receiving }, line, {
      ...{ direction: 'inbound', source: 'carrier', status: 'received' },
      ...{ from_number: ANNA, to_number: line.number },
    })
    await changeRows({ db: receiving }, 'line_peers', { number: ANNA }, { heard_at: [new Date()] })
    const dropping = moveUnreadMarks(context.db, { from: old, until: monthAgo(2) }, 10)
    await until('it waits for its lock', async () => (await countWaitingForLocks(context)) > 0)
    await receiving.commit()
    expect(await dropping).to.equal(1)
    expect(await context.db('line_peers').pluck('unread_id')).to.deep.equal([id])
  })

  it('writes into the audit log what it has dropped, and nothing when there is nothing', async () => {
    await outcomes()
    const [row] = await listAudit(context, { actions: ['retention.carried_out'] }, { limit: 1 })
    expect(row?.after).to.deep.include({ months: [`messages ${name(older)}`, `messages ${name(old)}`] })
    await outcomes()
    expect((await listAudit(context, { actions: ['retention.carried_out'] }, { limit: 1 }))[0]?.id).to.equal(
      row?.id,
    )
  })

  it('says with a dry run what it would drop, and drops nothing', async () => {
    const past = await insertPast(context, line, amid(old))
    const tried = await tryRetention(keepsDays())
    expect(tried.months.map(({ month, outcome }) => [month, outcome])).to.deep.equal([
      [name(older), 'would_drop'],
      [name(old), 'would_drop'],
    ])
    expect(tried.months[1]?.byteCount).to.be.above(0)
    expect(tried.excerptCount).to.equal(1)
    expect(await leftOf(context, past)).to.deep.equal(EVERYTHING)
  })

  describe('keeps a month in which something is under way, and says what:', () => {
    const cases: [what: string, overrides: Parameters<typeof insertPast>[3], why: object][] = [
      ['a text that waits', { message: { direction: 'outbound', status: 'queued' } }, { messages: 1 }],
      ['a text on its way', { message: { direction: 'outbound', status: 'sending' } }, { messages: 1 }],
      ['a text for later', { message: { direction: 'outbound', status: 'scheduled' } }, { messages: 1 }],
      ['a delivery that waits', { delivery: { status: 'pending' } }, { deliveries: 1 }],
      ['a delivery on its way', { delivery: { status: 'delivering' } }, { deliveries: 1 }],
      ['a delivery that is held', { delivery: { status: 'held' } }, { heldDeliveries: 1 }],
      ['media to be copied', { media: { status: 'pending', storage_key: null } }, { media: 1 }],
      ['media that are being copied', { media: { status: 'fetching', storage_key: null } }, { media: 1 }],
    ]
    for (const [what, overrides, why] of cases) {
      it(what, async () => {
        const past = await insertPast(context, line, amid(old), overrides)
        const other = await insertPast(context, line, amid(older))
        expect(await outcomes()).to.deep.equal([
          ['messages', name(older), 'dropped', {}],
          ['messages', name(old), 'kept', why],
        ])
        expect(await leftOf(context, past)).to.deep.equal(EVERYTHING)
        expect(await leftOf(context, other)).to.deep.equal([])
      })
    }

    it('a delivery of a later month, of an event of this one', async () => {
      const past = await insertPast(context, line, amid(old), {
        event: { message_id: null },
        delivery: { id: idAt(new Date()), status: 'held' },
      })
      expect((await outcomes())[1]).to.deep.equal(['messages', name(old), 'kept', { heldDeliveries: 1 }])
      expect(await partitionOf(context, nameOf('events', old))).to.equal(true)
      expect((await context.db('events').where({ id: past.eventId })).length).to.equal(1)
    })

    it('a delivery of a later month, of a message of this one', async () => {
      const now = new Date()
      await insertPast(context, line, amid(old), { event: { id: idAt(now) } })
      const [message] = await context.db('messages').pluck<string[]>('id')
      const [event] = await context.db('events').where({ message_id: message }).pluck<string[]>('id')
      await context.db('deliveries').update({ status: 'pending', event_id: event, id: idAt(now) })
      expect((await outcomes())[1]).to.deep.equal(['messages', name(old), 'kept', { deliveries: 1 }])
    })
  })

  it('finishes a month that a run before it left half done', async () => {
    const past = await insertPast(context, line, amid(old))
    await context.db.raw('drop table ??', [nameOf('deliveries', old)])
    await context.storage.remove(past.storageKey)
    await outcomes()
    expect(await leftOf(context, past)).to.deep.equal([])
    expect(await hasFile(context, past.storageKey)).to.equal(false)
  })

  /** Storage that does not delete this file. */
  const refusing = (storageKey: string): Context['storage'] => ({
    ...context.storage,
    remove: (key) =>
      key === storageKey
        ? Promise.reject(new StorageFailed('delete it', new Error('not allowed')))
        : context.storage.remove(key),
  })

  it('keeps a month with a file that cannot be deleted, and does everything else', async () => {
    const stuck = await insertPast(context, line, amid(older))
    const gone = await insertPast(context, line, amid(old))
    const storage = refusing(stuck.storageKey)
    const log = memoryLog()
    expect(await outcomes({ ...keepsDays(), storage, log: log.log })).to.deep.equal([
      ['messages', name(older), 'kept', { storage: 1 }],
      ['messages', name(old), 'dropped', {}],
    ])
    expect(await leftOf(context, stuck)).to.include.members(['messages', 'media', 'file'])
    expect(await leftOf(context, gone)).to.deep.equal([])
    expect(log.lines.map(({ msg }) => msg)).to.include('retention.failed')
    const [row] = await listAudit(context, { actions: ['retention.carried_out'] }, { limit: 1 })
    expect(row?.after).to.deep.include({ months: [`messages ${name(old)}`] })
    await outcomes()
    expect(await leftOf(context, stuck)).to.deep.equal([])
  })

  it('writes into the audit log what it has dropped, also if an old file cannot be deleted', async () => {
    await insertPast(context, line, amid(old))
    const past = await insertPast(context, line, new Date(), { media: { stored_at: amid(young) } })
    const storage = refusing(past.storageKey)
    const of = { ...keeping({ messageRetentionDays: 40, mediaRetentionDays: 1 }), storage }
    expect(await failure(applyRetention(of))).to.be.instanceOf(StorageFailed)
    const [row] = await listAudit(context, { actions: ['retention.carried_out'] }, { limit: 1 })
    expect(row?.after).to.deep.include({ months: [`messages ${name(older)}`, `messages ${name(old)}`] })
  })

  /** Whoever waits for a lock then waits for one of this month: the older one goes first. */
  const leaveOnly = async (month: Date) => {
    await outcomes()
    await makePartitions(context, month)
  }

  it('gives way to a person who sends a delivery again between the look and the drop', async () => {
    await leaveOnly(old)
    const past = await insertPast(context, line, amid(old))
    const trx = await context.db.transaction()
    await trx('deliveries').where({ id: past.deliveryId }).update({ status: 'pending' })
    const dropping = outcomes()
    await until('it waits for its lock', async () => (await countWaitingForLocks(context)) > 0)
    await trx.commit()
    expect((await dropping)[0]).to.deep.equal(['messages', name(old), 'kept', { deliveries: 1 }])
    expect(await leftOf(context, past)).to.deep.equal(EVERYTHING)
  })

  it('and to one who sends a later delivery of one of its events again, after its own deliveries are gone', async () => {
    await leaveOnly(old)
    const past = await insertPast(context, line, amid(old))
    const later = await insertPast(context, line, new Date(), { delivery: { event_id: past.eventId } })
    const [reader, person] = [await context.db.transaction(), await context.db.transaction()]
    await reader('events').limit(1)
    await person('deliveries').where({ id: later.deliveryId }).update({ status: 'pending' })
    const dropping = outcomes()
    await until('it waits for its lock', async () => (await countWaitingForLocks(context)) > 0)
    await person.commit()
    await reader.rollback()
    expect((await dropping)[0]).to.deep.equal(['messages', name(old), 'kept', { deliveries: 1 }])
    expect(await leftOf(context, past)).to.include.members(['events', 'messages', 'media', 'file'])
  })

  it('does not hold up who wants to write meanwhile', async () => {
    await insertPast(context, line, amid(old))
    const reader = await context.db.transaction()
    await reader('messages').limit(1)
    const dropping = outcomes()
    await until('it waits for its lock', async () => (await countWaitingForLocks(context)) > 0)
    const startedAt = performance.now()
    await changeRows(context, 'messages', idAt(new Date()), { text: null })
    // Its lock waits 100 ms at most; a wait that nobody ends would be as long as the time-out of this test.
    expect(performance.now() - startedAt).to.be.below(5000)
    await reader.rollback()
    expect((await dropping).map(([, , outcome]) => outcome)).to.deep.equal(['dropped', 'dropped'])
  })

  it('and partitions being made at the same time do not lock each other out', async () => {
    const next = monthAgo(-2)
    const make = async () => {
      for (const table of ['messages', 'events', 'deliveries']) {
        await context.db.raw('drop table if exists ??', [nameOf(table, next)])
        await ensurePartitions(context.db)
      }
    }
    const [dropped] = await Promise.all([outcomes(), make()])
    expect(dropped.map(([, , outcome]) => outcome)).to.deep.equal(['dropped', 'dropped'])
  })

  it('is carried out by two at once as by one', async () => {
    const past = await insertPast(context, line, amid(old))
    const runs = await Promise.all(Array.from({ length: 3 }, () => outcomes()))
    for (const run of runs) {
      expect(run.map(([, , outcome]) => outcome)).not.to.include('kept')
    }
    expect(await leftOf(context, past)).to.deep.equal([])
  })

  it('tells of old rows that are in no month', async () => {
    const long = monthAgo(30)
    await insertPast(context, line, long)
    expect((await outcomes()).at(-1)).to.deep.equal(['messages', null, 'kept', { stray: 1 }])
  })

  it('clears what endpoints answered bit by bit, each attempt once, and leaves the attempts', async () => {
    const [now, before] = [new Date(), new Date(Date.now() - 11 * DAY_MS)]
    const [gone, kept] = [await insertPast(context, line, before), await insertPast(context, line, now)]
    const excerpts = async () =>
      Object.fromEntries(
        (await context.db('delivery_attempts').select('id', 'response_excerpt')).map(
          (row: { id: string; response_excerpt: string | null }) => [row.id, row.response_excerpt],
        ),
      ) as Record<string, string | null>
    expect((await applyRetention(keepsDays())).excerptCount).to.equal(1)
    expect(await excerpts()).to.include({ [gone.attemptId]: null })
    expect((await excerpts())[kept.attemptId]).to.be.a('string')
    expect((await applyRetention(keepsDays())).excerptCount).to.equal(0)
    await context.db('delivery_attempts').insert({
      ...{ id: idAt(new Date(before.getTime() + 1000)), delivery_id: gone.deliveryId, attempt_number: 2 },
      ...{ started_at: before, duration_ms: 1, response_headers: { server: 'x' } },
    })
    expect((await applyRetention(keepsDays())).excerptCount).to.equal(1)
    const left = await context.db('delivery_attempts').whereNotNull('response_headers').pluck<string[]>('id')
    expect(left).to.deep.equal([kept.attemptId])
  })

  it('keeps what endpoints answered for a hundred years, which began before 1970, if it is told to', async () => {
    const past = await insertPast(context, line, new Date())
    expect(await applyRetention(keeping({ excerptRetentionDays: 36_500 }))).to.include({ excerptCount: 0 })
    const excerpt = context
      .db('delivery_attempts')
      .where({ id: past.attemptId })
      .pluck<(string | null)[]>('response_excerpt')
    expect((await excerpt)[0]).to.be.a('string')
  })

  it('drops the audit log by its own setting, which nothing else can', async () => {
    await context.db('audit_log').insert({
      ...{ id: idAt(amid(old)), actor_kind: 'service', action: 'user.added' },
    })
    await failure(Promise.resolve(context.db('audit_log').delete()))
    expect(
      (await outcomes(keeping({ auditRetentionDays: 40 }))).map(([kind, , outcome]) => [kind, outcome]),
    ).to.deep.equal([
      ['audit', 'dropped'],
      ['audit', 'dropped'],
    ])
    expect(await partitionOf(context, nameOf('audit_log', old))).to.equal(false)
    expect(await partitionOf(context, nameOf('messages', old))).to.equal(true)
  })
})
