import type { Database } from '../connection.js'
import type { OptInEventType } from '../events.js'

/** The reason of a delivery that ended because its line was disconnected from the application. */
export const DISCONNECTED = 'disconnected'

/** The event that tells an application of it, which goes out although the line is no longer connected. */
export const FAREWELL = 'lineDisconnected' satisfies OptInEventType

/**
 * Ends what waits for an application; or for one of its lines, except the event that the line was disconnected.
 *
 * @returns how many, at most `limit`
 */
export async function endWaitingDeliveries(
  db: Database,
  applicationId: string,
  lineId: string | undefined,
  limit: number,
): Promise<number> {
  const ofLine = lineId === undefined ? '' : ` and line_id = ?::uuid and type <> '${FAREWELL}'`
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update deliveries set status = 'exhausted', last_failure = '${DISCONNECTED}', lease_until = null
     where id in (select id from deliveries
       where application_id = ? and application_id is not null and status in ('pending', 'held')${ofLine}
       limit ? for update skip locked)`,
    [applicationId, ...(lineId === undefined ? [] : [lineId]), limit],
  )
  return rowCount
}
