import type { OptInEventType } from '../../../event-types.js'
import type { Database } from '../../connection.js'

/** The reason of a delivery that ended because its line was disconnected from the application, or its endpoint was deleted. */
export const DISCONNECTED = 'disconnected'

/** The event that informs an application of this, which goes out although the line is no longer connected. */
export const FAREWELL = 'lineDisconnected' as const satisfies OptInEventType

/**
 * Ends waiting deliveries for an application, or for one of its lines, except the event that the line was
 * disconnected.
 *
 * @returns their number, at most `limit`
 */
export async function endWaitingDeliveries(
  db: Database,
  applicationId: string,
  lineId: string | undefined,
  limit: number,
): Promise<number> {
  const ofLine = lineId === undefined ? '' : ` and line_id = ?::uuid and type <> '${FAREWELL}'`
  return endWaiting(
    db,
    `application_id = ? and application_id is not null and status in ('pending', 'held')${ofLine}`,
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
