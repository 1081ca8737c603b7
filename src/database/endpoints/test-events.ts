import type { Database } from '../connection.js'
import type { Event } from './events.js'

/** The most of one line within the hour that they are kept. */
const MAX_OF_LINE = 100

/**
 * Adds a test event, and deletes those of all lines that are older than an hour.
 *
 * @returns false if the line has too many
 */
export async function insertTestEvent(
  db: Database,
  { id, userId, lineId, type, payload, fromNumber, toNumber }: Omit<Event, 'messageId'>,
): Promise<boolean> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `with old as (delete from test_events where created_at < now() - interval '1 hour')
     insert into test_events (id, user_id, line_id, type, payload, from_number, to_number)
     select :id::uuid, :userId::uuid, :lineId::uuid, :type, :payload, :fromNumber, :toNumber
     where (select count(*) from test_events where line_id = :lineId::uuid and created_at >= now() - interval '1 hour')
       < ${MAX_OF_LINE}`,
    { id, userId, lineId, type, payload, fromNumber, toNumber },
  )
  return rowCount === 1
}
