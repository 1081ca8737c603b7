import type { Database } from '../connection.js'
import { conditions } from '../pages.js'

/** Why a delivery is over that nobody may get any more: its line was disconnected from the application. */
export const DISCONNECTED = 'disconnected'

/** Of an application, or of one line of it. @returns how many, at most `limit` */
export async function endWaitingDeliveries(
  db: Database,
  applicationId: string,
  lineId: string | undefined,
  limit: number,
): Promise<number> {
  const line = conditions([['line_id = ?::uuid', lineId]])
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update deliveries set status = 'exhausted', last_failure = '${DISCONNECTED}', lease_until = null
     where id in (select id from deliveries
       where application_id = ? and application_id is not null and status in ('pending', 'held')${line.sql}
       limit ? for update skip locked)`,
    [applicationId, ...line.bindings, limit],
  )
  return rowCount
}
