import type { OptInEventType } from '../../../event-types.js'
import type { Database } from '../../connection.js'

/** The reason of a delivery that ended because its line was disconnected from the application, or its endpoint was deleted. */
export const DISCONNECTED = 'disconnected'

/** The event that informs an application of this, which goes out although the line is no longer connected. */
export const FAREWELL = 'lineDisconnected' as const satisfies OptInEventType

/**
 * Ends the waiting deliveries that an application, or one of its lines, may no longer have (`may_have_delivery`).
 *
 * @returns their number, at most `limit`
 */
export async function endWaitingDeliveries(
  db: Database,
  applicationId: string,
  lineId: string | undefined,
  limit: number,
): Promise<number> {
  const ofLine = lineId === undefined ? '' : ' and line_id = ?::uuid'
  return endWaiting(
    db,
    `application_id = ? and application_id is not null and status in ('pending', 'held')${ofLine}
       and not may_have_delivery(application_id, line_id, type)`,
    [applicationId, ...(lineId === undefined ? [] : [lineId])],
    limit,
  )
}

/**
 * Ends waiting deliveries for an endpoint that is deleted.
 *
 * @returns their number, at most `limit`
 */
export async function endWaitingDeliveriesTo(
  db: Database,
  endpointId: string,
  limit: number,
): Promise<number> {
  let count = 0
  // The statuses are queried one after the other, because each has an index.
  for (const status of ['pending', 'held']) {
    count += await endWaiting(db, `endpoint_id = ? and status = '${status}'`, [endpointId], limit - count)
  }
  return count
}

/** A deleted endpoint, or an application that lost one line or all of them. */
export type Ended = { endpointId: string } | { applicationId: string; lineId?: string }

/**
 * Finds those for which deliveries still wait. It steps from one to the next by the indexes, whatever number waits for
 * each. Those that wait for a deleted endpoint's turn, and not for a person, end there (`claim_in_lanes`).
 */
export async function listEndedWithDeliveries(db: Database): Promise<Ended[]> {
  const { rows } = await db.raw<{ rows: { ended: Ended }[] }>(
    `with recursive endpoints_held as (
       (select endpoint_id from deliveries where status = 'held' order by endpoint_id limit 1)
       union all
       select next.endpoint_id from endpoints_held h cross join lateral (
         select endpoint_id from deliveries where status = 'held' and endpoint_id > h.endpoint_id
         order by endpoint_id limit 1) next
     ), lines_waiting as (
       (select application_id, line_id from deliveries
        where application_id is not null and status in ('pending', 'held') order by application_id, line_id limit 1)
       union all
       select next.application_id, next.line_id from lines_waiting w cross join lateral (
         select application_id, line_id from deliveries
         where application_id is not null and status in ('pending', 'held')
           and (application_id, line_id) > (w.application_id, w.line_id)
         order by application_id, line_id limit 1) next
     )
     select jsonb_build_object('endpointId', e.id) as ended
     from endpoints_held h join endpoints e on e.id = h.endpoint_id
     where e.removed_at is not null and not is_endpoint_named(e.id)
     union all
     select jsonb_build_object('applicationId', w.application_id, 'lineId', w.line_id) from lines_waiting w
     where not may_have_delivery(w.application_id, w.line_id, '')`,
  )
  return rows.map(({ ended }) => ended)
}

async function endWaiting(
  db: Database,
  which: string,
  bindings: readonly string[],
  limit: number,
): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update deliveries set status = 'exhausted', last_failure = '${DISCONNECTED}', lease_until = null
     where id in (select id from deliveries where ${which} limit ? for update skip locked)`,
    [...bindings, limit],
  )
  return rowCount
}
