import type { Database } from '../connection.js'
import type { EventType } from '../events.js'

export interface NewDelivery {
  id: string
  endpointId: string
  generation: number
}

/** The endpoints that a line's events go to. A disabled one is listed: its deliveries are held. */
export async function findEndpointsOfLine(
  db: Database,
  lineId: string,
): Promise<{ endpointId: string; isDisabled: boolean }[]> {
  const rows: { endpointId: string; isDisabled: boolean }[] = await db('developer_connections as c')
    .join('endpoints as e', 'e.id', 'c.endpoint_id')
    .where({ 'c.line_id': lineId, 'c.enabled': true, 'e.removed_at': null })
    .select({
      endpointId: 'e.id',
      isDisabled: db.raw('e.disabled_at is not null'),
    })
  return rows
}

export async function insertDelivery(
  db: Database,
  delivery: {
    id: string
    userId: string
    lineId: string
    eventId: string
    endpointId: string
    isHeld: boolean
    /** Both as the event has them. */
    type: EventType
    fromNumber: string
  },
): Promise<void> {
  await db('deliveries').insert({
    id: delivery.id,
    user_id: delivery.userId,
    line_id: delivery.lineId,
    event_id: delivery.eventId,
    endpoint_id: delivery.endpointId,
    status: delivery.isHeld ? 'held' : 'pending',
    type: delivery.type,
    from_number: delivery.fromNumber,
  })
}

/** Held deliveries of an endpoint, oldest first and after one, get a new round of attempts. In order of their ids. */
export async function releaseHeldDeliveries(
  db: Database,
  endpointId: string,
  afterId: string,
  limit: number,
): Promise<NewDelivery[]> {
  const { rows } = await db.raw<{ rows: NewDelivery[] }>(
    `with released as (
       update deliveries set status = 'pending', due_at = clock_timestamp(), round_attempt_count = 0, crash_count = 0,
         job_generation = job_generation + 1
       where id in (select id from deliveries where endpoint_id = ? and status = 'held' and id > ?
                    order by id limit ? for update skip locked)
       returning id, endpoint_id as "endpointId", job_generation as generation
     )
     select * from released order by id`,
    [endpointId, afterId, limit],
  )
  return rows
}
