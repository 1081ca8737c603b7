import type { Database } from '../connection.js'
import type { OptInEventType } from '../events.js'

/** Why a delivery is over that nobody may get any more: its line was disconnected from the application. */
export const DISCONNECTED = 'disconnected'

/** The event that says so, which an application gets without the line. */
export const FAREWELL = 'lineDisconnected' satisfies OptInEventType

/**
 * Of an application; or of one line of it, but for the event that says that it was disconnected.
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
