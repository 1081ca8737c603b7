import { newId } from '../../ids.js'
import type { Database } from '../connection.js'
import type { NewDelivery } from './creating.js'

/** Pending deliveries that should have been worked on a while ago; locked, and passed over by other sweepers. */
export async function lockOverdueDeliveries(
  trx: Database,
  overdueMs: number,
  limit: number,
): Promise<NewDelivery[]> {
  const { rows } = await trx.raw<{ rows: NewDelivery[] }>(
    `select id, endpoint_id as "endpointId", job_generation as generation from deliveries
     where status = 'pending' and due_at < clock_timestamp() - make_interval(secs => ?)
     order by due_at limit ? for update skip locked`,
    [overdueMs / 1000, limit],
  )
  return rows
}

/** The sweep looks at them again after `ms`; when they may be worked on stays as it is. */
export async function lookAtDeliveriesAgain(
  trx: Database,
  ids: readonly string[],
  ms: number,
): Promise<void> {
  await trx.raw(
    `update deliveries set due_at = clock_timestamp() + make_interval(secs => ?)
     where id = any (?::uuid[]) and status = 'pending'`,
    [ms / 1000, [...ids]],
  )
}

export async function renewDeliveryJobs(trx: Database, ids: readonly string[]): Promise<NewDelivery[]> {
  const { rows } = await trx.raw<{ rows: NewDelivery[] }>(
    `update deliveries set job_generation = job_generation + 1, due_at = clock_timestamp(), not_before = null
     where id = any (?::uuid[]) returning id, endpoint_id as "endpointId", job_generation as generation`,
    [[...ids]],
  )
  return rows
}

/**
 * Deliveries of lost workers go back to pending, with the same webhook-id: the endpoint may get the event twice.
 * The attempt is on record as `worker_lost` but uses up no step of the schedule.
 */
export async function expireDeliveryLeases(db: Database, limit: number): Promise<NewDelivery[]> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: (NewDelivery & { attemptNumber: number })[] }>(
      `update deliveries set status = 'pending', lost_count = lost_count + 1,
         round_attempt_count = round_attempt_count - 1, last_failure = 'worker_lost',
         lease_until = null, due_at = clock_timestamp(), not_before = null, job_generation = job_generation + 1
       where id in (select id from deliveries where status = 'delivering' and lease_until < now()
                    order by lease_until limit ? for update skip locked)
       returning id, endpoint_id as "endpointId", job_generation as generation, attempt_count as "attemptNumber"`,
      [limit],
    )
    if (rows.length > 0) {
      await trx('delivery_attempts').insert(
        rows.map((row) => ({
          id: newId(),
          delivery_id: row.id,
          attempt_number: row.attemptNumber,
          started_at: trx.fn.now(),
          duration_ms: 0,
          failure: 'worker_lost',
        })),
      )
    }
    return rows
  })
}

/** The attempt that was under way, if one was, is over. @returns whether the delivery was given up */
export async function recordDeliveryCrash(db: Database, id: string, maxCrashes: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { status: string }[] }>(
    `update deliveries set crash_count = crash_count + 1, lease_until = null,
       status = case when crash_count + 1 >= ? then 'exhausted' else 'pending' end, last_failure = 'internal_error'
     where id = ? and status in ('pending', 'delivering') returning status`,
    [maxCrashes, id],
  )
  return rows[0]?.status === 'exhausted'
}
