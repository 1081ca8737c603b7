import type { MediaReason, MediaStatus } from '../../states.js'
import type { RowJob } from '../claims.js'
import type { Database } from '../connection.js'

/** A line sends outbound media, and has received inbound media and voicemail. */
export type MediaPurpose = 'outbound' | 'inbound' | 'voicemail'

/** A message's media as its owner sees it. */
export interface MessageMedia {
  status: MediaStatus
  /** The failure of the last attempt; null for stored media. */
  failure: MediaReason | null
  token: string
  contentType: string | null
  byteCount: number | null
  width: number | null
  height: number | null
  /** True if its file was deleted because of its age. */
  isRemoved: boolean
  /** The time of the next attempt while it is pending, as Postgres writes it in JSON. */
  dueAt: string
}

/** SQL for a query of messages `m`: JSON, a list in order. They are looked up only if there are any. */
export const MEDIA_OF_MESSAGE = `case when m.media_urls is null then '[]' else (
    select coalesce(json_agg(json_build_object('status', x.status, 'failure', x.failure, 'token', x.token,
      'contentType', x.content_type, 'byteCount', x.byte_count, 'width', x.width, 'height', x.height,
      'isRemoved', x.removed_at is not null, 'dueAt', x.due_at) order by x.id), '[]')
    from media x where x.message_id = m.id) end`

/** The media that are served under a token. */
export interface HostedMedia {
  contentType: string
  byteCount: number
  storageKey: string
  isRemoved: boolean
}

/** @returns undefined if there are none, or they have not been copied yet */
export async function findHostedMedia(db: Database, token: string): Promise<HostedMedia | undefined> {
  const { rows } = await db.raw<{ rows: HostedMedia[] }>(
    `select content_type as "contentType", byte_count as "byteCount", storage_key as "storageKey",
       removed_at is not null as "isRemoved"
     from media where token = ? and status = 'stored'`,
    [token],
  )
  return rows[0]
}

/**
 * A new round of attempts for media that could not be copied.
 *
 * @returns none when there are none of this message, they are under way or copied, or they came in a request and their
 *   bytes were of no use
 */
export async function restartMedia(db: Database, userId: string, messageId: string): Promise<RowJob[]> {
  const { rows } = await db.raw<{ rows: RowJob[] }>(
    `update media set status = 'pending', round_attempt_count = 0, crash_count = 0, lost_count = 0, due_at = clock_timestamp(),
       job_generation = job_generation + 1
     where message_id = ?::uuid and user_id = ? and status = 'failed' and source_url <> ''
     returning id, job_generation as generation`,
    [messageId, userId],
  )
  return rows
}

/**
 * Makes the next attempt due now for media that could not be copied yet.
 *
 * @returns none if there are none of this message
 */
export async function makeMediaDue(db: Database, userId: string, messageId: string): Promise<RowJob[]> {
  const { rows } = await db.raw<{ rows: RowJob[] }>(
    `update media set due_at = clock_timestamp(), job_generation = job_generation + 1
     where message_id = ?::uuid and user_id = ? and status = 'pending' and failure is not null
     returning id, job_generation as generation`,
    [messageId, userId],
  )
  return rows
}
