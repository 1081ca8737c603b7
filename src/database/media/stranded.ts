import type { Database } from '../connection.js'

/** A row and the generation of the job that was made for it. */
export interface MediaJob {
  id: string
  generation: number
}

/** Pending media that should have been worked on a while ago; locked, and passed over by other sweepers. */
export async function lockOverdueMedia(trx: Database, overdueMs: number, limit: number): Promise<MediaJob[]> {
  const { rows } = await trx.raw<{ rows: MediaJob[] }>(
    `select id, job_generation as generation from media
     where status = 'pending' and due_at < clock_timestamp() - make_interval(secs => ?)
     order by due_at limit ? for update skip locked`,
    [overdueMs / 1000, limit],
  )
  return rows
}

export async function renewMediaJobs(trx: Database, ids: readonly string[]): Promise<MediaJob[]> {
  const { rows } = await trx.raw<{ rows: MediaJob[] }>(
    `update media set job_generation = job_generation + 1, due_at = clock_timestamp()
     where id = any (?::uuid[]) returning id, job_generation as generation`,
    [[...ids]],
  )
  return rows
}

/** The sweep looks at them again after `ms`; when they may be worked on stays as it is. */
export async function lookAtMediaAgain(trx: Database, ids: readonly string[], ms: number): Promise<void> {
  await trx.raw(
    `update media set due_at = clock_timestamp() + make_interval(secs => ?)
     where id = any (?::uuid[]) and status = 'pending'`,
    [ms / 1000, [...ids]],
  )
}

/** Lets media that lost workers were copying be copied again. */
export async function expireMediaLeases(db: Database, limit: number): Promise<MediaJob[]> {
  const { rows } = await db.raw<{ rows: MediaJob[] }>(
    `update media set status = 'pending', lost_count = lost_count + 1, round_attempt_count = round_attempt_count - 1,
       lease_until = null, due_at = clock_timestamp(), job_generation = job_generation + 1
     where id in (select id from media where status = 'fetching' and lease_until < now()
                  order by lease_until limit ? for update skip locked)
     returning id, job_generation as generation`,
    [limit],
  )
  return rows
}

/** An attempt ended in an unexpected error. The next job makes the next attempt. */
export async function recordMediaCrash(db: Database, id: string): Promise<void> {
  await db.raw(
    `update media set status = 'pending', crash_count = crash_count + 1, lease_until = null
     where id = ?::uuid and status in ('pending', 'fetching')`,
    [id],
  )
}
