import { fromNow, type RowJob } from '../claims.js'
import type { Database } from '../connection.js'

/** Makes the sweep look at media again after `ms`, without changing when they may be processed. */
export async function recheckMedia(trx: Database, ids: readonly string[], ms: number): Promise<void> {
  await trx('media')
    .whereIn('id', [...ids])
    .update({ due_at: fromNow(trx, ms) })
}

/** Lets media that lost workers were copying be copied again. */
export async function expireMediaLeases(db: Database, limit: number): Promise<RowJob[]> {
  const { rows } = await db.raw<{ rows: RowJob[] }>(
    `update media set status = 'pending', lost_count = lost_count + 1, round_attempt_count = round_attempt_count - 1,
       lease_until = null, due_at = clock_timestamp(), job_generation = job_generation + 1
     where id in (select id from media where status = 'fetching' and lease_until < now()
                  order by lease_until limit ? for update skip locked)
     returning id, job_generation as generation`,
    [limit],
  )
  return rows
}

/**
 * Records that an attempt ended in an unexpected error. The next job makes the next attempt.
 *
 * @param generation that of the attempt's job. Once its lease has run out, the media have another, and perhaps another
 *   worker that is copying them: then this does nothing. If left out, it is not compared
 */
export async function recordMediaCrash(
  db: Database,
  { id, generation }: { id: string; generation?: number | undefined },
): Promise<void> {
  await db.raw(
    `update media set status = 'pending', crash_count = crash_count + 1, lease_until = null
     where id = ?::uuid and status in ('pending', 'fetching') and job_generation = coalesce(?, job_generation)`,
    [id, generation ?? null],
  )
}
