import type { MediaReason } from '../../../states.js'
import type { Database } from '../../connection.js'
import { WITHOUT_MEDIA, type NewDelivery } from './creating.js'

export async function hasDeliveries(db: Database, eventId: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: object[] }>('select 1 from deliveries where event_id = ? limit 1', [
    eventId,
  ])
  return rows.length > 0
}

/** Starts the deliveries of an event whose copy now exists: each gets its round of attempts. */
export async function releaseDeliveriesOfEvent(db: Database, eventId: string): Promise<NewDelivery[]> {
  const { rows } = await db.raw<{ rows: NewDelivery[] }>(
    `update deliveries set status = 'pending', last_failure = null, due_at = clock_timestamp(),
       round_attempt_count = 0, crash_count = 0, lost_count = 0, job_generation = job_generation + 1
     where event_id = ? and status = 'held' and ${WITHOUT_MEDIA}
     returning id, endpoint_id as "endpointId", job_generation as generation`,
    [eventId],
  )
  return rows
}

/** Keeps them held, because there is still no copy, perhaps for a different reason than before. */
export async function holdDeliveriesOfEvent(
  db: Database,
  eventId: string,
  failure: MediaReason,
): Promise<void> {
  await db.raw(
    `update deliveries set last_failure = ? where event_id = ? and status = 'held' and ${WITHOUT_MEDIA}`,
    [failure, eventId],
  )
}
