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

export async function renewDeliveryJobs(trx: Database, ids: readonly string[]): Promise<NewDelivery[]> {
  const { rows } = await trx.raw<{ rows: NewDelivery[] }>(
    `update deliveries set job_generation = job_generation + 1, due_at = clock_timestamp()
     where id = any (?::uuid[]) returning id, endpoint_id as "endpointId", job_generation as generation`,
    [[...ids]],
  )
  return rows
}

/**
 * Deliveries of lost workers go back to pending, with the same webhook-id: the endpoint may get the event twice.
 * The attempt is on record as `worker_lost` but uses up no step of the schedule; one that keeps losing its
 * worker is dead after `maxCrashes`.
 */
export async function expireDeliveryLeases(
  db: Database,
  limit: number,
  maxCrashes: number,
): Promise<{ expired: string[]; requeued: NewDelivery[] }> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: (NewDelivery & { attemptNumber: number; status: string })[] }>(
      `update deliveries set
         status = case when crash_count + 1 >= ? then 'exhausted' else 'pending' end,
         crash_count = crash_count + 1, round_attempt_count = round_attempt_count - 1, last_failure = 'worker_lost',
         lease_until = null, due_at = clock_timestamp(), job_generation = job_generation + 1
       where id in (select id from deliveries where status = 'delivering' and lease_until < now()
                    order by lease_until limit ? for update skip locked)
       returning id, endpoint_id as "endpointId", job_generation as generation, attempt_count as "attemptNumber", status`,
      [maxCrashes, limit],
    )
    if (rows.length > 0) {
      const now = new Date()
      await trx('delivery_attempts').insert(
        rows.map((row) => ({
          id: newId(),
          delivery_id: row.id,
          attempt_number: row.attemptNumber,
          started_at: now,
          duration_ms: 0,
          failure: 'worker_lost',
        })),
      )
    }
    return { expired: rows.map(({ id }) => id), requeued: rows.filter((row) => row.status === 'pending') }
  })
}

/** @returns whether the delivery was given up */
export async function recordDeliveryCrash(db: Database, id: string, maxCrashes: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { status: string }[] }>(
    `update deliveries set crash_count = crash_count + 1,
       status = case when crash_count + 1 >= ? then 'exhausted' else status end, last_failure = 'internal_error'
     where id = ? and status = 'pending' returning status`,
    [maxCrashes, id],
  )
  return rows[0]?.status === 'exhausted'
}
