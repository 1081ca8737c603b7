import { expect } from 'chai'
import type { Knex } from 'knex'
import { transaction, type Database } from '../../src/database/connection.js'
import { restartDelivery } from '../../src/database/endpoints/deliveries/reading.js'
import { claimMessages, settleMessages } from '../../src/database/messages/sending.js'
import { findDueWork } from '../../src/database/operating/due-work.js'
import { readDeliveryRows } from '../../src/database/operating/overview/queues.js'
import { raiseLiveBounds } from '../../src/database/partitions.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { newId } from '../../src/ids.js'
import {
  ago,
  ahead,
  ANNA,
  claimMessage,
  inboundText,
  post,
  queueMessage,
  untilLocked,
} from '../domain/fixtures.js'
import { idAt, insertPast, makePartitions, monthAgo, nameOf } from '../domain/operating/retention/past.js'
import { describeContext } from '../helpers/context.js'
import { lineForEachTest } from '../helpers/factories.js'
import { lowestIdAt } from '../helpers/lowest-id.js'

/** As the ids of one process: in order of time, and all different. */
const numberedId = `overlay(uuidv7()::text placing lpad(to_hex(n), 8, '0') from 29)::uuid`
const LOWEST = '00000000-0000-0000-0000-000000000000'
const LIMITS = { leaseMs: 15_000, maxAgeMs: 60_000, lookAgainMs: 30_000, heldKinds: [], heldAccounts: [] }
const [OLD, OLDER] = [monthAgo(2), monthAgo(3)]

describeContext('the bounds of what may still move', (context) => {
  const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:9/events' })

  before(async () => {
    for (const month of [OLD, OLDER]) await makePartitions(context, month)
  })
  beforeEach(async () => {
    await context.db('deliveries').delete()
    await context.db('messages').delete()
    await context.db('live_bounds').update({ id: LOWEST, next_id: LOWEST, found_at: '-infinity' })
  })

  /** So many hours pass, with housekeeping in each. */
  async function pass(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour += 1) {
      await context.db('live_bounds').update({ found_at: context.db.raw(`now() - interval '1 hour'`) })
      await raiseLiveBounds(context.db)
    }
  }

  async function boundOf(parent: 'messages' | 'deliveries'): Promise<string> {
    const row = await context.db('live_bounds').where({ parent }).first<{ id: string }>()
    return row.id
  }

  /** An old delivery that has been delivered. @returns its id */
  async function insertDelivered(delivery: object = {}): Promise<string> {
    const past = await insertPast(context, line, OLD, {
      delivery: { endpoint_id: line.endpointId, ...delivery },
    })
    return past.deliveryId
  }

  it('rise to a week ago where all before is over, one hour after that was found', async () => {
    await insertDelivered()
    await pass(1)
    expect(await boundOf('messages')).to.equal(LOWEST)
    await pass(1)
    for (const parent of ['messages', 'deliveries'] as const) {
      const bound = await boundOf(parent)
      expect(bound > lowestIdAt(new Date(Date.now() - 8 * 86_400_000))).to.equal(true)
      expect(bound < lowestIdAt(new Date(Date.now() - 6 * 86_400_000))).to.equal(true)
    }
  })

  it('change once an hour, however many processes look', async () => {
    await raiseLiveBounds(context.db)
    expect(await raiseLiveBounds(context.db)).to.equal(0)
    expect(await boundOf('messages')).to.equal(LOWEST)
  })

  it('rise no sooner, because a carrier is asked for an hour what became of a message', async () => {
    await pass(1)
    await context.db('live_bounds').update({ found_at: ago(context, '50 minutes') })
    expect(await raiseLiveBounds(context.db)).to.equal(0)
  })

  it('do not count if they were found in the future, by a clock that was ahead, and are found anew', async () => {
    const future = lowestIdAt(new Date(Date.now() + 3 * 86_400_000))
    await context
      .db('live_bounds')
      .update({ id: future, next_id: future, found_at: ahead(context, '10 days') })
    await receiveMessage(context, inboundText(line))
    const { deliveries } = await context.batched.deliverNext({ endpointId: line.endpointId, places: 1 })
    expect(deliveries).to.have.length(1)
    expect(await raiseLiveBounds(context.db)).to.equal(2)
    for (const parent of ['messages', 'deliveries'] as const)
      expect((await boundOf(parent)) < lowestIdAt(new Date())).to.equal(true)
  })

  it('change once an hour also if two processes look at the same time', async () => {
    const { second } = await transaction(context.db, async (trx) => {
      await raiseLiveBounds(trx)
      const second = raiseLiveBounds(context.db)
      await untilLocked(context)
      return { second }
    })
    expect(await second).to.equal(0)
    expect(await boundOf('messages')).to.equal(LOWEST)
  })

  for (const status of ['queued', 'sending', 'scheduled']) {
    it(`stay at the month of the first message that is ${status}`, async () => {
      await queueMessage(context, line, { id: idAt(OLD), status })
      await pass(2)
      expect(await boundOf('messages')).to.equal(lowestIdAt(OLD))
    })
  }

  for (const status of ['pending', 'delivering']) {
    it(`stay at the month of the first delivery that is ${status}`, async () => {
      await insertDelivered({ status })
      await pass(2)
      expect(await boundOf('deliveries')).to.equal(lowestIdAt(OLD))
    })
  }

  it('stay below everything while a row without a month waits', async () => {
    await queueMessage(context, line, { id: lowestIdAt(new Date('2020-02-29T12:00:00Z')) })
    await pass(2)
    expect(await boundOf('messages')).to.equal(LOWEST)
  })

  for (const status of ['delivered', 'exhausted', 'held']) {
    it(`sink to a delivery that was ${status} and is sent again, which its lane then finds`, async () => {
      const id = await insertDelivered({ application_id: null, status })
      await pass(2)
      expect(await restartDelivery(context.db, line.userId, id)).to.have.property('id', id)
      expect((await boundOf('deliveries')) <= id).to.equal(true)
      const { deliveries } = await context.batched.deliverNext({ endpointId: line.endpointId, places: 1 })
      expect(deliveries.map((each) => each.id)).to.deep.equal([id])
      await pass(2)
      expect(await boundOf('deliveries')).to.equal(lowestIdAt(OLD))
    })
  }

  it('rise only after a look has waited for what is being sent again', async () => {
    const id = await insertDelivered({ application_id: null })
    await pass(1)
    const passing = await transaction(context.db, async (trx) => {
      await restartDelivery(trx, line.userId, id)
      const passing = pass(1)
      await untilLocked(context)
      return { passing }
    })
    await passing.passing
    await pass(1)
    expect(await boundOf('deliveries')).to.equal(lowestIdAt(OLD))
  })

  it('sink to a delivery of a process whose clock is far behind, which its lane then finds', async () => {
    const { eventId } = await insertPast(context, line, OLD, { delivery: { endpoint_id: line.endpointId } })
    await pass(2)
    const { userId: user_id, lineId: line_id, endpointId } = line
    const event = {
      event_id: eventId,
      user_id,
      line_id,
      event_type: 'inboundText',
      from: ANNA,
      opt_in: false,
    }
    const made = [{ ...event, delivery_id: idAt(OLD) }]
    await context.db.raw('select create_deliveries(?::jsonb, null)', [JSON.stringify(made)])
    const { deliveries } = await context.batched.deliverNext({ endpointId, places: 1 })
    expect(deliveries.map((each) => each.eventId)).to.deep.equal([eventId])
  })

  it('sink to a message of a process whose clock is far behind, which its time then finds', async () => {
    await pass(2)
    const id = idAt(OLD)
    await post(context, line, { id, sendAt: new Date(Date.now() + 600_000) })
    await context
      .db('messages')
      .where({ id })
      .update({ due_at: ago(context, '1 minute') })
    const asked = { overdueMs: 3000, maxLost: 3, looksIntoLanes: false }
    expect([...(await findDueWork(context.db, asked))]).to.deep.equal(['scheduled messages'])
  })

  it('sink to a message below that is claimed, because it counts in the windows of its line', async () => {
    await pass(2)
    const id = idAt(OLD)
    await queueMessage(context, line, { id })
    await claimMessage(context, id)
    expect(await boundOf('messages')).to.equal(id)
  })

  it('sink to a message below that a worker gives back which was suspended for hours', async () => {
    const id = idAt(OLD)
    await queueMessage(context, line, { id })
    const { claim } = await claimMessage(context, id)
    await context.db('messages').where({ id }).update({ status: 'unknown', lease_until: null })
    await pass(2)
    expect((await boundOf('messages')) > id).to.equal(true)
    await settleMessages(context.db, [{ id, claim, status: 'queued', uncounted: true }])
    expect(await boundOf('messages')).to.equal(id)
  })

  it('are read by a claim after it has waited for another one that lowers them', async () => {
    await pass(2)
    const [first, second] = [idAt(OLD), newId()]
    for (const id of [first, second]) await queueMessage(context, line, { id })
    const claim = (db: Database, id: string) => claimMessages(db, [{ id, claim: newId() }], LIMITS)
    const { claiming } = await transaction(context.db, async (trx) => {
      expect(await claim(trx, first)).to.have.nested.property('[0].kind', 'claimed')
      const claiming = claim(context.db, second)
      await untilLocked(context)
      return { claiming }
    })
    expect(await claiming).to.have.nested.property('[0].kind', 'behind')
  })

  it('rise also while retention drops a month', async () => {
    await pass(1)
    const { passing } = await transaction(context.db, async (trx) => {
      await trx.raw('drop table ??', [nameOf('messages', OLDER)])
      const passing = pass(1)
      await untilLocked(context)
      return { passing }
    })
    await passing
    await makePartitions(context, OLDER)
    expect((await boundOf('messages')) > lowestIdAt(OLD)).to.equal(true)
  })

  it('sink where a message below waits after all', async () => {
    await pass(2)
    await queueMessage(context, line, { id: idAt(OLD) })
    await pass(1)
    expect(await boundOf('messages')).to.equal(lowestIdAt(OLD))
  })
})

// One connection: a session's counts are seen by others only when it says so.
describeContext(
  'what looks for rows that may move',
  { environment: { DATABASE_POOL_SIZE: '1' } },
  (context) => {
    const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:9/events' })

    before(() => makePartitions(context, OLDER))

    async function countOf(
      view: string,
      column: string,
      pick: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
    ): Promise<number> {
      await context.db.raw('select pg_stat_force_next_flush()')
      const [row] = await pick(context.db(view)).sum<{ count: string }[]>(`${column} as count`)
      return Number(row?.count)
    }

    /** How often an index of that month is searched: a statement that opens a month searches at least one. */
    async function countSearches(work: () => Promise<unknown>): Promise<number> {
      const tables = [nameOf('messages', OLDER), nameOf('deliveries', OLDER)]
      const read = () =>
        countOf('pg_stat_user_tables', 'idx_scan', (query) => query.whereIn('relname', tables))
      const before = await read()
      await work()
      return (await read()) - before
    }

    const ways: Record<string, () => Promise<unknown>> = {
      'claiming and settling a message': async () => {
        const id = await queueMessage(context, line)
        const { claim } = await claimMessage(context, id)
        await settleMessages(context.db, [{ id, claim, status: 'sent' }])
      },
      'receiving a text': () => receiveMessage(context, inboundText(line)),
      'claiming and settling a delivery': async () => {
        await receiveMessage(context, inboundText(line))
        const lane = { endpointId: line.endpointId, places: 1 }
        const { deliveries } = await context.batched.deliverNext(lane)
        const { id: deliveryId, eventId, url } = deliveries[0]!
        await context.batched.deliverNext({
          ...lane,
          result: {
            ...{ attemptId: newId(), deliveryId, eventId, endpointId: line.endpointId, url },
            ...{ attemptNumber: 1, startedAt: new Date(), durationMs: 1, status: 'delivered' },
          },
        })
      },
      'finding out what there is to do': () => context.db.raw(`select due_work('3 s', 3, true)`),
    }
    for (const [way, work] of Object.entries(ways)) {
      it(`opens no month below: ${way}`, async () => {
        await context.db('live_bounds').update({ id: LOWEST })
        expect(await countSearches(work), 'without a bound').to.be.above(0)
        await context.db('live_bounds').update({ id: lowestIdAt(monthAgo(0)) })
        expect(await countSearches(work)).to.equal(0)
      })
    }

    it('reads the first delivery of each lane without a statement of its own', async () => {
      const calls = (name: string) =>
        countOf('pg_stat_user_functions', 'calls', (query) => query.where({ funcname: name }))
      await receiveMessage(context, inboundText(line))
      await context.db.raw(`set track_functions = 'all'`)
      try {
        const before = await calls('live_from')
        expect((await readDeliveryRows(context.db)).waitingCount).to.be.above(0)
        expect(await calls('live_from')).to.be.above(before)
        expect(await calls('lane_head')).to.equal(0)
      } finally {
        await context.db.raw('reset track_functions')
      }
    })

    it('finds by few rows that there is nothing to do, however many wait for later', async () => {
      for (const status of ['scheduled', 'failed', 'unknown', 'queued']) {
        await context.db.raw(
          `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, status, send_at, due_at, claimed_at)
         select ${numberedId}, ?, lpad((n % 250)::text, 32, '0')::uuid, 'outbound', 'webhook', ?, '+1' || n, ?, now() + interval '1 day',
           now() + interval '1 day', now() - interval '1 day'
         from generate_series(1, 30000) n`,
          [line.userId, line.number, status],
        )
      }
      await context.db.raw('vacuum analyze messages')
      const readCount = () =>
        countOf('pg_stat_user_indexes', 'idx_tup_read', (query) => query.whereLike('relname', 'messages%'))
      const before = await readCount()
      await context.db.raw(`select due_work('3 s', 3, true)`)
      expect((await readCount()) - before).to.be.below(100)
    })
  },
)
