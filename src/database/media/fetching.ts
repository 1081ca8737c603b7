import type { MediaReason, MediaStatus } from '../../states.js'
import { fromNow, writeAttempts, type Attempt } from '../claims.js'
import type { Database } from '../connection.js'
import type { MediaPurpose } from './reading.js'

/** Media that this worker copies now. */
export interface ClaimedMedia extends Attempt {
  userId: string
  lineId: string
  messageId: string
  purpose: MediaPurpose
  sourceUrl: string
  /** The account whose credentials the source may get. */
  account: { id: string; name: string; kind: string; version: number } | null
  /** The number of attempts in this round, including this one: the step of the backoff. */
  roundAttempt: number
  /** The number of earlier attempts that ended in an unexpected error. */
  crashCount: number
  /** The number of attempts just before this one whose worker was lost. */
  lostCount: number
}

export interface StoredFile {
  storageKey: string
  contentType: string
  byteCount: number
  width: number | null
  height: number | null
}

interface MediaJob {
  maxLost: number
  generation?: number | undefined
}

/**
 * Moves media from pending to fetching by compare-and-set.
 *
 * @param job.maxLost media whose worker was lost this often are not claimed
 * @param job.generation if given, media that have a newer job are not claimed
 * @returns undefined if another worker has it, or it is over
 */
export async function claimMedia(
  db: Database,
  id: string,
  { leaseMs, maxLost, generation }: MediaJob & { leaseMs: number },
): Promise<ClaimedMedia | undefined> {
  const { rows } = await db.raw<{ rows: ClaimedMedia[] }>(
    `with claimed as (
       update media set status = 'fetching', attempt_count = attempt_count + 1,
         round_attempt_count = round_attempt_count + 1, lease_until = now() + make_interval(secs => ?)
       where id = ?::uuid and status = 'pending' and lost_count < ? and job_generation = coalesce(?, job_generation)
       returning *
     )
     select c.id, c.user_id as "userId", c.line_id as "lineId", c.message_id as "messageId", c.purpose,
       c.source_url as "sourceUrl", c.attempt_count as attempt, c.round_attempt_count as "roundAttempt",
       c.crash_count as "crashCount", c.lost_count as "lostCount",
       case when a.id is not null then
         json_build_object('id', a.id, 'name', a.name, 'kind', a.kind, 'version', a.version) end as account
     from claimed c left join carrier_accounts a on a.name = c.carrier`,
    [leaseMs / 1000, id, maxLost, generation ?? null],
  )
  return rows[0]
}

/** True if the media wait to be copied by this job and their worker was lost this often in a row. */
export async function isMediaSuspect(
  db: Database,
  id: string,
  { maxLost, generation }: MediaJob,
): Promise<boolean> {
  const row = await db('media')
    .where({ id, status: 'pending', ...(generation === undefined ? {} : { job_generation: generation }) })
    .where('lost_count', '>=', maxLost)
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

/** @returns false if the lease had expired and the attempt no longer counts */
export async function markStored(db: Database, media: Attempt, file: StoredFile): Promise<boolean> {
  const count = await writeAttempts(db, 'media', [media], {
    status: 'stored',
    failure: null,
    lease_until: null,
    // Media that came in a request are not stored twice.
    source_url: withoutBytes(db),
    storage_key: file.storageKey,
    content_type: file.contentType,
    byte_count: file.byteCount,
    width: file.width,
    height: file.height,
    stored_at: db.fn.now(),
  })
  return count > 0
}

/** True if the copy of an attempt is the one that is kept. */
export async function isStoredAs(db: Database, id: string, storageKey: string): Promise<boolean> {
  const row = await db('media')
    .where({ id, status: 'stored', storage_key: storageKey })
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

/**
 * The bytes of media that came in a request are deleted too: they would fail again. Only a fault of ours may get fixed,
 * so after one of those, they are kept.
 *
 * @returns false in the same case as `markStored`
 */
export async function markFailed(db: Database, media: Attempt, failure: MediaReason): Promise<boolean> {
  const count = await writeAttempts(db, 'media', [media], {
    status: 'failed',
    failure,
    lease_until: null,
    ...(failure !== 'media_internal_error' && { source_url: withoutBytes(db) }),
  })
  return count > 0
}

function withoutBytes(db: Database) {
  return db.raw(`case when source_url like 'data:%' then '' else source_url end`)
}

/**
 * Moves media from fetching to pending, to be tried again in `ms`.
 *
 * @param isCounted false if the attempt is not one of its round: a fault of ours must not use them up
 */
export async function putMediaOff(
  db: Database,
  media: Attempt,
  failure: MediaReason,
  { ms, isCounted }: { ms: number; isCounted: boolean },
): Promise<void> {
  await writeAttempts(db, 'media', [media], {
    status: 'pending',
    failure,
    lease_until: null,
    lost_count: 0,
    due_at: fromNow(db, ms),
    ...(isCounted ? {} : { round_attempt_count: db.raw('round_attempt_count - 1') }),
  })
}

/** Locks them in one order, so that two workers with two of a message's media neither miss nor wait for each other. */
export async function lockMediaOf(trx: Database, messageId: string): Promise<void> {
  await trx.raw('select from media where message_id = ? order by id for update', [messageId])
}

/** A message's media, in order. */
export async function listMediaOf(
  db: Database,
  messageId: string,
): Promise<{ eventId: string | null; status: MediaStatus; failure: MediaReason | null }[]> {
  return db('media')
    .where({ message_id: messageId })
    .orderBy('id')
    .select<{ eventId: string | null; status: MediaStatus; failure: MediaReason | null }[]>({
      eventId: 'event_id',
      status: 'status',
      failure: 'failure',
    })
}
