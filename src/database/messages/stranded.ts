import type { Database } from '../connection.js'
import { countOf } from '../lists.js'
import { CHANGED, changeMessages, type Changes } from './announcing.js'
import { IS_QUEUED, requeueHeads, type Requeued } from './requeueing.js'
import type { Ended, Settled } from './sending.js'

interface DueRow extends Requeued {
  lineId: string
  /** True if an earlier message to the same number is not over: its end will enqueue this one. */
  isBehind: boolean
}

/**
 * SQL: an earlier message to the same number as `m` is not over. The order is that of acceptance. A message of the
 * service itself may go before messages that are paused (`claim_messages`), so it needs a separate job.
 */
const IS_BEHIND = `(m.source <> 'service' and exists (
  select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
    and p.status in ('queued', 'sending') and p.position < m.position))`

/**
 * Locks queued messages that should have been processed a while ago. The rows stay locked until the transaction ends,
 * and other sweepers pass over them.
 */
export async function lockOverdueMessages(
  trx: Database,
  overdueMs: number,
  limit: number,
): Promise<DueRow[]> {
  const { rows } = await trx.raw<{ rows: DueRow[] }>(
    `select m.id, m.job_generation as generation, m.line_id as "lineId", ${IS_BEHIND} as "isBehind"
     from messages m where m.status = 'queued' and m.due_at < clock_timestamp() - make_interval(secs => ?)
     order by m.due_at limit ? for update skip locked`,
    [overdueMs / 1000, limit],
  )
  return rows
}

/** Makes the sweep look at them again after `ms`, without changing when they may be processed. */
export async function recheckMessages(trx: Database, ids: readonly string[], ms: number): Promise<void> {
  await trx.raw(
    `update messages m set due_at = clock_timestamp() + make_interval(secs => ?)
     where m.id = any (?::uuid[]) and ${IS_QUEUED}`,
    [ms / 1000, [...ids]],
  )
}

/**
 * Counts a crash. After the fifth, a message is given up and shown as failed, and the next one to its number gets its
 * turn.
 *
 * @returns undefined if it is not given up
 */
export async function recordMessageCrash(
  db: Database,
  id: string,
  maxCrashes: number,
): Promise<Ended | undefined> {
  const { changed, deliveries } = await changeMessages(
    db,
    `changed as (
       update messages m set crash_count = m.crash_count + 1,
         status = case when m.crash_count + 1 >= ? then 'failed' else m.status end,
         error = case when m.crash_count + 1 >= ? then 'internal_error' else m.error end
       where m.id = ?::uuid and m.status = 'queued' returning ${CHANGED}, 'queued' as status_before
     )`,
    [maxCrashes, maxCrashes, id],
  )
  const dead = changed.filter(({ status }) => status === 'failed')
  if (dead.length === 0) return undefined
  return { requeued: await requeueHeads(db, dead), deliveries, left: dead }
}

/**
 * True for messages that may have been sent after a database's backup was made: they are waiting, or their scheduled
 * time has come since. It takes a time.
 */
const MAY_HAVE_GONE = `created_at < ?::timestamptz
  and (status = 'queued' or status = 'scheduled' and send_at is not null and due_at <= clock_timestamp())`

/**
 * Makes waiting messages that were accepted before then `unknown`: the database was restored, and they may have been
 * sent since. Their carrier is not asked, because nobody knows when that was. The newest come first, so that none gets
 * its turn because the one before it has ended.
 */
export async function makeQueuedUnknown(db: Database, before: Date, limit: number): Promise<Changes> {
  return changeMessages(
    db,
    `changed as (
       update messages m set status = 'unknown', error = 'restored', lease_until = null, carrier_asked_count = 1000,
         claimed_at = clock_timestamp(), handed_over_at = clock_timestamp()
       from (select id, status from messages where ${MAY_HAVE_GONE}
             order by position desc limit ? for update skip locked) w
       where m.id = w.id
       returning ${CHANGED}, w.status as status_before
     )`,
    [before.toISOString(), limit],
  )
}

/** Counts what `makeQueuedUnknown` would find. */
export async function countQueuedBefore(db: Database, before: Date): Promise<number> {
  return countOf(db, `messages where ${MAY_HAVE_GONE}`, [before.toISOString()])
}

/** Makes lost workers' messages `unknown`: they may have been sent, so they are never sent again automatically. */
export async function expireLeases(db: Database, limit: number): Promise<{ expired: string[] } & Settled> {
  const { changed, deliveries } = await changeMessages(
    db,
    `changed as (
       update messages m set status = 'unknown', error = 'worker_lost', lease_until = null, handed_over_at = clock_timestamp()
       where m.id in (select id from messages where status = 'sending' and lease_until < now()
                      order by lease_until limit ? for update skip locked)
       returning ${CHANGED}, 'sending' as status_before
     )`,
    [limit],
  )
  return { expired: changed.map(({ id }) => id), requeued: await requeueHeads(db, changed), deliveries }
}
