import type { Database } from '../connection.js'
import { OPT_IN_EVENT_TYPES } from '../events.js'

/** Why a delivery is over that nobody may get any more: its line was disconnected from the application. */
export const DISCONNECTED = 'disconnected'

/**
 * Of an application; or of one line of it, but for the events that say that it was disconnected.
 *
 * @returns how many, at most `limit`
 */
export async function endWaitingDeliveries(
  db: Database,
  applicationId: string,
  lineId: string | undefined,
  limit: number,
): Promise<number> {
  const ofLine = lineId === undefined ? '' : ' and line_id = ?::uuid and type <> all (?::text[])'
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update deliveries set status = 'exhausted', last_failure = '${DISCONNECTED}', lease_until = null
     where id in (select id from deliveries
       where application_id = ? and application_id is not null and status in ('pending', 'held')${ofLine}
       limit ? for update skip locked)`,
    [applicationId, ...(lineId === undefined ? [] : [lineId, [...OPT_IN_EVENT_TYPES]]), limit],
  )
  return rowCount
}
