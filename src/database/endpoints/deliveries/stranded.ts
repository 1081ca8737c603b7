import { newId } from '../../../ids.js'
import { callFunction } from '../../answers.js'
import type { Database } from '../../connection.js'
import type { NewDelivery } from './creating.js'

/** A lane's first delivery, which should have started a while ago. */
export interface IdleLane extends NewDelivery {
  /** True if it has lost so many workers that no lane claims it any more. */
  isSuspect: boolean
}

/** Finds lanes that no worker is busy with, or whose first delivery is a suspect. */
export async function findIdleLanes(
  db: Database,
  { overdueMs, maxLost, limit }: { overdueMs: number; maxLost: number; limit: number },
): Promise<IdleLane[]> {
  const lanes = await callFunction<'idle_lanes', Omit<IdleLane, 'id'> & { deliveryId: string }>(
    db,
    'idle_lanes',
    'make_interval(secs => ?), ?::integer, ?::integer',
    [overdueMs / 1000, maxLost, limit],
  )
  return lanes.map(({ deliveryId, ...lane }) => ({ id: deliveryId, ...lane }))
}

export interface LostDelivery extends NewDelivery {
  lostCount: number
}

/**
 * Deliveries of lost workers become pending again. They keep their places and their webhook-id, and the endpoint may get
 * the event twice. The attempt is recorded as `worker_lost`, but uses up no step of the schedule.
 */
export async function expireDeliveryLeases(db: Database, limit: number): Promise<LostDelivery[]> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: (LostDelivery & { attemptNumber: number })[] }>(
      `update deliveries set status = 'pending', lost_count = lost_count + 1,
         round_attempt_count = round_attempt_count - 1, last_failure = 'worker_lost',
         lease_until = null, job_generation = job_generation + 1
       where id in (select id from deliveries where status = 'delivering' and lease_until < now()
                    order by lease_until limit ? for update skip locked)
       returning id, endpoint_id as "endpointId", job_generation as generation, attempt_count as "attemptNumber",
         lost_count as "lostCount"`,
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

/**
 * Ends the attempt that was under way, if any; the next one may be in `waitMs`.
 *
 * @param crashed.attemptNumber the attempt that crashed, so that it counts once and no later attempt is ended; if left out,
 *   it is not known
 * @returns true if the delivery was given up
 */
export async function recordDeliveryCrash(
  db: Database,
  { id, attemptNumber = null }: { id: string; attemptNumber?: number | null },
  maxCrashes: number,
  waitMs: number,
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { status: string }[] }>(
    `update deliveries set crash_count = crash_count + 1, lease_until = null,
       status = case when crash_count + 1 >= ? then 'exhausted' else 'pending' end, last_failure = 'internal_error',
       due_at = clock_timestamp() + make_interval(secs => ?)
     where id = ? and status in ('pending', 'delivering')
       and (?::integer is null or (status = 'delivering' and attempt_count = ?))
     returning status`,
    [maxCrashes, waitMs / 1000, id, attemptNumber, attemptNumber],
  )
  return rows[0]?.status === 'exhausted'
}
