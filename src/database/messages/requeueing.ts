import { callFunction } from '../answers.js'
import type { Database } from '../connection.js'
import { countOf } from '../lists.js'
import { toJson } from '../text.js'

/** The messages of one line to one number are sent one after another. */
export interface Conversation {
  lineId: string
  toNumber: string
}

/** A row and the generation of the job that was made for it. */
export interface Requeued {
  id: string
  generation: number
}

/**
 * This is for statements that pick a few rows by their ids. With `status = 'queued'` Postgres could use a partial
 * index; on a table that has just filled it then reads that index from end to end for every id (with 60,000 messages
 * waiting a claim took 8 ms instead of 1).
 */
export const IS_QUEUED = `m.status || '' = 'queued'`

/** Gives the first message of each conversation a new job, now, if it is queued (`requeue_heads`). */
export async function requeueHeads(
  db: Database,
  conversations: readonly Conversation[],
): Promise<Requeued[]> {
  if (conversations.length === 0) return []
  const heads = await callFunction<'requeue_heads', Head>(db, 'requeue_heads', '?::jsonb', [
    toJson(conversations.map(({ lineId, toNumber }) => ({ line_id: lineId, to_number: toNumber }))),
  ])
  return renewLocked(db, heads)
}

/** The first message of a conversation. If another process had it locked, it has no generation yet. */
export interface Head {
  id: string
  generation: number | null
}

/** Waits for the messages that were locked, one by one, and holds no other lock while it waits. */
export async function renewLocked(db: Database, heads: readonly Head[]): Promise<Requeued[]> {
  const requeued: Requeued[] = []
  for (const { id, generation } of heads) {
    requeued.push(...(generation === null ? await renewMessageJobs(db, [id]) : [{ id, generation }]))
  }
  return requeued
}

/** Gives messages that are still queued a new job, now. */
export async function renewMessageJobs(db: Database, ids: readonly string[]): Promise<Requeued[]> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
     where m.id = any (?::uuid[]) and ${IS_QUEUED} returning m.id, m.job_generation as generation`,
    [[...ids]],
  )
  return rows
}

/**
 * Makes a message that waits for the next try of its carrier due now.
 *
 * @returns undefined if it does not wait for that
 */
export async function makeMessageDue(
  db: Database,
  userId: string,
  id: string,
): Promise<Requeued | undefined> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
     where m.id = ?::uuid and m.user_id = ? and ${IS_QUEUED} and m.not_before > clock_timestamp()
       and m.error is not null
     returning m.id, m.job_generation as generation`,
    [id, userId],
  )
  return rows[0]
}

/**
 * Lets messages that are waiting for room in a window (`postponeMessage`) ask earlier. Messages with other times keep
 * them.
 */
export async function askEarlier(
  db: Database,
  told: readonly { id: string; waitMs: number }[],
): Promise<Requeued[]> {
  const ids = told.map(({ id }) => id)
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `with told as materialized (
       select x.id, clock_timestamp() + make_interval(secs => x."waitMs" / 1000.0) as at
       from jsonb_to_recordset(?::jsonb) as x(id uuid, "waitMs" double precision)
     ), waiting as (
       select m.id, t.at from messages m join told t on t.id = m.id
       where m.id = any (?::uuid[]) and ${IS_QUEUED} and m.error is null and m.not_before > t.at
       order by m.id for update of m skip locked
     )
     update messages m set job_generation = m.job_generation + 1, due_at = w.at, not_before = w.at
     from waiting w where m.id = any (?::uuid[]) and m.id = w.id and ${IS_QUEUED}
     returning m.id, m.job_generation as generation`,
    [toJson(told), ids, ids],
  )
  return rows
}

/** SQL: the messages of a line that wait for a time, by the index of waiting messages. */
const WAITS_FOR_TIME = `m.line_id = ? and m.status in ('queued', 'sending') and ${IS_QUEUED} and m.not_before > clock_timestamp()`

/** SQL: those that wait for the next try of their carrier. The others wait for room in a window, and have no error. */
const WAITS_FOR_CARRIER = `${WAITS_FOR_TIME} and m.error is not null`

/** Counts a line's messages that wait until the carrier is tried again, up to a limit. */
export async function countWaitingForCarrier(db: Database, lineId: string, max: number): Promise<number> {
  return countOf(db, `(select from messages m where ${WAITS_FOR_CARRIER} limit ?) m`, [lineId, max])
}

/** Does the same as `makeMessageDue` for those of a line, in the order in which they are to be sent. */
export async function makeMessagesDue(db: Database, lineId: string, limit: number): Promise<Requeued[]> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
     from (select id from messages m where ${WAITS_FOR_CARRIER} order by "position" limit ? for update skip locked) waiting
     where m.id = waiting.id and ${IS_QUEUED} returning m.id, m.job_generation as generation`,
    [lineId, limit],
  )
  return rows
}

/**
 * Makes messages of a line due now that wait for room in a window (`postponeMessage`), after a position, in order of their
 * positions. Those that wait for the next try of their carrier keep their time.
 */
export async function makePlaceSeekersDue(
  db: Database,
  lineId: string,
  { after, limit }: { after: string; limit: number },
): Promise<(Requeued & { position: string })[]> {
  const { rows } = await db.raw<{ rows: (Requeued & { position: string })[] }>(
    `with waiting as (
       select id from messages m where ${WAITS_FOR_TIME} and m.error is null and m."position" > ?::bigint
       order by "position" limit ? for update skip locked
     ), made as (
       update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
       from waiting where m.id = waiting.id and ${IS_QUEUED}
       returning m.id, m.job_generation as generation, m."position"
     )
     select * from made order by "position"`,
    [lineId, after, limit],
  )
  return rows
}
