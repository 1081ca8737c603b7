import { expect } from 'chai'
import {
  findEndpointsOfLine,
  releaseHeldDeliveries,
} from '../../src/database/endpoints/deliveries/creating.js'
import type { AttemptResult } from '../../src/database/endpoints/deliveries/delivering.js'
import {
  endWaitingDeliveries,
  listEndedWithDeliveries,
} from '../../src/database/endpoints/deliveries/ending.js'
import {
  listDeliveries,
  listDeliveriesOfApplication,
} from '../../src/database/endpoints/deliveries/reading.js'
import { expireDeliveryLeases, findIdleLanes } from '../../src/database/endpoints/deliveries/stranded.js'
import { renewLeases } from '../../src/database/claims.js'
import { countQueued, queueMessages } from '../../src/database/messages/queueing.js'
import { listMessages } from '../../src/database/messages/reading.js'
import { applyReceipts } from '../../src/database/messages/receipts.js'
import { receiveMessages, type ReceiveRequest } from '../../src/database/messages/receiving.js'
import {
  linkCarrierMessage,
  noteNoRecord,
  takeUnknownMessages,
} from '../../src/database/messages/reconciling.js'
import { wakeUnreached } from '../../src/database/messages/recoveries.js'
import { requeueHeads } from '../../src/database/messages/requeueing.js'
import { failQueuedMessages, postponeMessage, settleMessages } from '../../src/database/messages/sending.js'
import {
  expireLeases,
  lockOverdueMessages,
  recordMessageCrash,
} from '../../src/database/messages/stranded.js'
import { newId } from '../../src/ids.js'
import { connect, createApplication } from '../domain/applications/applications.js'
import { loseWorker, changeRows } from '../domain/fixtures.js'
import { describeContext } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'

const ROW_COUNT = 50_000

interface Row {
  id: string
  lineId: string
  toNumber: string
}

const options = {
  // One connection: a session's counts are seen by others only when it says so.
  environment: { DATABASE_POOL_SIZE: '1', MAX_QUEUED_PER_LINE: '1000000' },
  statementTimeoutMs: 60_000,
}

/**
 * Pages of the tables and their indexes that one call may touch. An index look-up touches three or four, in each
 * of the partitions at worst; a scan of the waiting messages or deliveries touches 500 and more.
 */
const MAX_PAGES = 300

/**
 * Counted by Postgres itself while the real functions run, rather than read from plans of copied statements. With
 * the statistics of a table that has just filled (nobody has analyzed it), and with fresh ones.
 */
for (const isAnalyzed of [false, true]) {
  const tables = isAnalyzed ? 'analyzed tables' : 'just filled tables'

  describeContext(`with ${ROW_COUNT} rows waiting in ${tables}`, options, (context) => {
    let line: TestLine
    let endpointId: string
    let applicationId: string

    before(async () => {
      line = await createLine(context, {
        messagesPerNumberPerMinute: 100_000,
        messagesPerMinute: 100_000,
        outgoingUrl: 'http://127.0.0.1:9/events',
      })
      endpointId = (await context.db('endpoints').first<{ id: string }>('id')).id
      applicationId = (await createApplication(context, { webhookUrl: 'http://127.0.0.1:9/events' })).id
      await connect(context, { id: applicationId }, line)
      await fill()
    })

    async function fill(): Promise<void> {
      const { db } = context
      const partitions = await db('pg_inherits')
        .join('pg_class', 'pg_class.oid', 'inhrelid')
        .whereRaw(`inhparent::regclass::text in ('messages', 'events', 'deliveries')`)
        .pluck<string[]>('relname')
      for (const partition of partitions) {
        await db.raw('alter table ?? set (autovacuum_enabled = off)', [partition])
      }
      const row = [line.userId, line.lineId]
      for (let from = 1; from <= ROW_COUNT; from += 10_000) {
        const range = [from, from + 9999]
        await db.raw(
          `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, due_at, created_at)
           select ${numberedId}, ?, ?, 'outbound', 'webhook', ?, '+1' || n, 'x', 'queued', now() - interval '1 hour', now() - interval '1 hour'
           from generate_series(?::integer, ?) n`,
          [...row, line.number, ...range],
        )
        await db.raw(
          `insert into events (id, user_id, line_id, type, payload, from_number, to_number)
           select ${numberedId}, ?, ?, 'inboundText', 'x', '+1' || n, ? from generate_series(?::integer, ?) n`,
          [...row, line.number, ...range],
        )
      }
      await db.raw(
        `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, status, due_at, type, from_number)
         select id, user_id, line_id, id, ?, 'pending', now() - interval '1 hour', type, from_number from events`,
        [endpointId],
      )
      if (isAnalyzed) await db.raw('analyze messages, events, deliveries')
    }

    async function pages(): Promise<number> {
      await context.db.raw('select pg_stat_force_next_flush()')
      const { rows } = await context.db.raw<{ rows: { pages: number }[] }>(
        `select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::integer as pages
         from pg_statio_user_tables where relname ~ '^(messages|events|deliveries|delivery_attempts)_|^(applications|application_lines|endpoints)$'`,
      )
      return rows[0]!.pages
    }

    async function pagesOf(work: () => Promise<unknown>): Promise<number> {
      const before = await pages()
      await work()
      return (await pages()) - before
    }

    /** Waiting rows from the middle of the table, each given once. */
    let given = ROW_COUNT / 2
    async function take(table: 'messages' | 'deliveries'): Promise<Row[]> {
      given += 3
      return context
        .db(table)
        .where({ status: table === 'messages' ? 'queued' : 'pending' })
        .orderBy('id')
        .offset(given)
        .limit(3)
        .select<Row[]>(
          'id',
          'line_id as lineId',
          table === 'messages' ? 'to_number as toNumber' : 'id as toNumber',
        )
    }

    function touchesFew(
      what: string,
      table: 'messages' | 'deliveries',
      work: (rows: Row[]) => Promise<unknown>,
      prepare: (ids: string[]) => Promise<unknown> = () => Promise.resolve(),
    ) {
      it(what, async () => {
        const pages: number[] = []
        // The first time it is planned, which reads every index once, and again when the statistics of a table change.
        for (let time = 0; time < 3; time += 1) {
          const rows = await take(table)
          await prepare(rows.map(({ id }) => id))
          pages.push(await pagesOf(() => work(rows)))
        }
        expect(Math.min(...pages)).to.be.within(1, MAX_PAGES)
      })
    }

    const claimAll = (ids: string[]) =>
      Promise.all(ids.map((id) => context.batched.claimMessage({ id, claim: id })))
    const claimDeliveries = (ids: string[]) =>
      Promise.all(ids.map((id) => context.batched.deliverNext({ endpointId, places: 1, deliveryId: id })))

    const giveToApplication = (ids: string[], given = applicationId) =>
      context.db('deliveries').whereIn('id', ids).update({ application_id: given })
    /** The line is not connected to it any more. */
    const formerId = newId()

    describe('a few pages are enough', () => {
      it('to accept a message', async () => {
        const accept = () =>
          queueMessages(
            context.db,
            [
              {
                ...{ messageId: newId(), lineId: line.lineId, source: 'webhook', toNumber: '+15005550101' },
                ...{ text: 'x', isLineRoomy: true },
                idempotency: { scopeId: line.lineId, key: newId(), requestHash: '00' },
              },
            ],
            1_000_000,
          )
        await accept()
        expect(await pagesOf(accept)).to.be.within(1, MAX_PAGES)
        expect(await pagesOf(() => context.batched.findOpenIncomingWebhook(line.lineId))).to.be.within(
          1,
          MAX_PAGES,
        )
      })
      it('to take in a text, and one after which the sender is looked at', async () => {
        const lively = `+1${ROW_COUNT}`
        const receive = (fromNumber: string) => receiveMessages(context.db, [received(fromNumber)])
        await receive('+15005550101')
        const [answer] = await receive('+15005550101')
        expect(answer).to.have.property('kind', 'received')
        expect(await pagesOf(() => receive('+15005550101'))).to.be.within(1, MAX_PAGES)
        for (let n = 0; n < 10; n += 1) await receive(lively)
        expect(await pagesOf(() => receive(lively))).to.be.within(1, MAX_PAGES)
        expect(await receive(lively)).to.have.nested.property('[0].isWaitedFor', true)
      })
      it('to take in a batch of texts', async () => {
        const texts = Array.from({ length: 20 }, (_, n) => received(`+1600${n}`))
        // Rows, indexes and look-ups of each.
        expect(await pagesOf(() => receiveMessages(context.db, texts))).to.be.within(1, 20 * MAX_PAGES)
      })
      it('to see whether there is room', async () => {
        expect(await pagesOf(() => countQueued(context.db, 100))).to.be.within(1, MAX_PAGES)
      })
      touchesFew('to claim messages', 'messages', (rows) => claimAll(rows.map(({ id }) => id)))
      touchesFew(
        'to settle messages, and hand their numbers over',
        'messages',
        (rows) =>
          settleMessages(
            context.db,
            rows.map((row) => ({ ...row, claim: row.id, status: 'sent' })),
          ),
        claimAll,
      )
      touchesFew(
        'to settle messages, and tell the line’s endpoint of it',
        'messages',
        async (rows) => {
          const { deliveries } = await settleMessages(
            context.db,
            rows.map((row) => ({ ...row, claim: row.id, status: 'sent' })),
          )
          expect(deliveries).to.have.length(3)
          await context.db('endpoints').update({ opt_in_events: [] })
        },
        async (ids) => {
          await claimAll(ids)
          await changeRows(context, 'endpoints', endpointId, { opt_in_events: ['messageStatus'] })
        },
      )
      touchesFew('to postpone messages', 'messages', (rows) =>
        Promise.all(rows.map(({ id }) => postponeMessage(context.db, { id, generation: 0 }, 1000))),
      )
      touchesFew('to fail messages', 'messages', (rows) =>
        failQueuedMessages(
          context.db,
          rows.map((row) => ({ ...row, error: 'expired' })),
        ),
      )
      touchesFew('to give numbers their turn', 'messages', (rows) => requeueHeads(context.db, rows))
      touchesFew(
        'to note receipts',
        'messages',
        (rows) =>
          applyReceipts(
            context.db,
            rows.map(({ id }) => ({
              carrierAccount: 'simulator',
              carrierMessageId: id,
              messageId: id,
              status: 'delivered',
            })),
          ),
        claimAll,
      )
      touchesFew('to note what carriers call messages', 'messages', (rows) =>
        Promise.all(
          rows.map(({ id }) =>
            linkCarrierMessage(context.db, { carrier: 'simulator', carrierMessageId: id, messageId: id }),
          ),
        ),
      )
      touchesFew(
        'to find messages that carriers are to be asked about',
        'messages',
        async (rows) => {
          expect(await takeUnknownMessages(context.db, [5], 3600, 3)).to.have.length(3)
          await noteNoRecord(context.db, rows[0]!.id, 'carrier_has_no_record')
        },
        (ids) =>
          context
            .db('messages')
            .whereIn('id', ids)
            .update({ status: 'unknown', claimed_at: context.db.raw(`now() - interval '1 minute'`) }),
      )
      touchesFew(
        'to wake messages of a carrier that works again',
        'messages',
        async (rows) => {
          const recovery = { carrier: 'simulator', recoveredAt: new Date().toISOString() }
          expect(await wakeUnreached(context.db, recovery, 1000)).to.have.length(rows.length)
        },
        (ids) =>
          context
            .db('messages')
            .whereIn('id', ids)
            .update({
              error: 'carrier_unavailable',
              claimed_at: context.db.raw(`now() - interval '1 minute'`),
              not_before: context.db.raw(`now() + interval '1 minute'`),
            }),
      )
      touchesFew('to note crashes', 'messages', ([row]) => recordMessageCrash(context.db, row!.id, 5))
      touchesFew('to find messages that are overdue', 'messages', () =>
        lockOverdueMessages(context.db, 3000, 3),
      )
      touchesFew(
        'to find messages of lost workers',
        'messages',
        () => expireLeases(context.db, 3),
        async (ids) => {
          await claimAll(ids)
          await loseWorker(context, 'messages', ids)
        },
      )
      touchesFew('to claim deliveries', 'deliveries', (rows) => claimDeliveries(rows.map(({ id }) => id)))
      touchesFew(
        'to claim a delivery to an application',
        'deliveries',
        (rows) => claimDeliveries([rows[0]!.id]),
        giveToApplication,
      )
      touchesFew(
        'to end deliveries to applications',
        'deliveries',
        async () => {
          expect(await endWaitingDeliveries(context.db, formerId, line.lineId, 3)).to.equal(3)
        },
        (ids) => giveToApplication(ids, formerId),
      )
      touchesFew(
        'to find deliveries that wait for what has ended',
        'deliveries',
        async () => {
          const ended = { applicationId: formerId, lineId: line.lineId }
          expect(await listEndedWithDeliveries(context.db)).to.deep.equal([ended])
        },
        (ids) => giveToApplication(ids, formerId),
      )
      touchesFew(
        'to list deliveries to an application',
        'deliveries',
        () => listDeliveriesOfApplication(context.db, applicationId, { limit: 3 }),
        giveToApplication,
      )
      it('to find where events go', async () => {
        expect(await findEndpointsOfLine(context.db, line.lineId)).to.have.length(2)
        expect(await pagesOf(() => findEndpointsOfLine(context.db, line.lineId))).to.be.within(0, MAX_PAGES)
      })
      touchesFew(
        'to record attempts',
        'deliveries',
        (rows) => Promise.all(rows.map(({ id }) => recordAttempt(id))),
        claimDeliveries,
      )
      touchesFew(
        'to claim what is next for an endpoint',
        'deliveries',
        async () => {
          const { deliveries } = await context.batched.deliverNext({ endpointId, places: 3 })
          expect(deliveries).to.have.length(3)
        },
        () => context.db('deliveries').where({ status: 'delivering' }).update({ status: 'delivered' }),
      )
      touchesFew(
        'to renew leases',
        'deliveries',
        (rows) =>
          renewLeases(
            context.db,
            'deliveries',
            rows.map(({ id }) => ({ id, attempt: 1 })),
            8000,
          ),
        claimDeliveries,
      )
      touchesFew(
        'to find lanes that nobody works on',
        'deliveries',
        async () => {
          const lanes = await findIdleLanes(context.db, { overdueMs: 3000, maxLost: 3, limit: 3 })
          expect(lanes.map((lane) => lane.endpointId)).to.include(endpointId)
        },
        () => context.db('deliveries').where({ status: 'delivering' }).update({ status: 'delivered' }),
      )
      touchesFew(
        'to find deliveries of lost workers',
        'deliveries',
        () => expireDeliveryLeases(context.db, 3),
        async (ids) => {
          await claimDeliveries(ids)
          await loseWorker(context, 'deliveries', ids)
        },
      )
      touchesFew(
        'to release deliveries that were held',
        'deliveries',
        () => releaseHeldDeliveries(context.db, endpointId, newId().replace(/^.{8}/, '00000000'), 3),
        (ids) => context.db('deliveries').whereIn('id', ids).update({ status: 'held' }),
      )
      const page = { limit: 3 }
      touchesFew('to list the newest messages', 'messages', () =>
        listMessages(context.db, line.userId, {}, page),
      )
      touchesFew('to list the messages of a number', 'messages', ([row]) =>
        listMessages(context.db, line.userId, { number: row!.toNumber }, page),
      )
      touchesFew('to find that no message failed', 'messages', () =>
        listMessages(context.db, line.userId, { status: 'unknown' }, page),
      )
      touchesFew('to list the newest deliveries', 'deliveries', () =>
        listDeliveries(context.db, line.userId, {}, page),
      )
      touchesFew('to list the deliveries of a number', 'deliveries', () =>
        listDeliveries(context.db, line.userId, { number: '+1777' }, page),
      )
      touchesFew('to find that no delivery is exhausted', 'deliveries', () =>
        listDeliveries(context.db, line.userId, { status: 'exhausted' }, page),
      )
    })

    function received(fromNumber: string): ReceiveRequest {
      const ids = { messageId: newId(), eventId: newId(), deliveryId: newId(), carrierMessageId: newId() }
      const kind = { type: 'text', eventType: 'inboundText', media: [] } as const
      return { ...ids, ...kind, carrierAccount: 'simulator', fromNumber, toNumber: line.number, text: 'x' }
    }

    function recordAttempt(deliveryId: string): Promise<unknown> {
      const result: AttemptResult = {
        ...{ attemptId: newId(), deliveryId, eventId: newId(), endpointId, url: 'http://127.0.0.1:9/events' },
        ...{ attemptNumber: 1, startedAt: new Date(), durationMs: 1 },
        ...{ failure: 'connect', status: 'pending', retryInMs: 1000 },
      }
      return context.batched.deliverNext({ endpointId, places: 0, result })
    }
  })
}

/** As the ids of one process: in order of time, and all different. */
const numberedId = `overlay(uuidv7()::text placing lpad(to_hex(n), 8, '0') from 29)::uuid`
