import type { Database } from '../connection.js'
import { toJson } from '../text.js'
import { columnsOf, internal, type Row } from '../../shape.js'

const FIELDS = {
  eventId: internal<string>('event_id'),
  /** The time by the listener's clock. */
  startedAt: internal<Date>('started_at'),
  durationMs: internal<number>('duration_ms'),
  /** null if there was no response; `failure` then says why. */
  responseStatus: internal<number | null>('response_status'),
  failure: internal<string | null>('failure'),
}

export type ListenerAttempt = Row<typeof FIELDS>

/** The most attempts that are stored for one event. */
const MAX_OF_EVENT = 100

/**
 * Records attempts at events of one line. Known ones are left out, so a listener that got no response may repeat them.
 *
 * @returns the number recorded
 */
export async function insertListenerAttempts(
  db: Database,
  lineId: string,
  attempts: readonly (ListenerAttempt & { id: string })[],
): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `insert into listener_attempts (id, event_id, started_at, duration_ms, response_status, failure)
     select x.id, x."eventId", x."startedAt", x."durationMs", x."responseStatus", x.failure
     from jsonb_to_recordset(?::jsonb) as x(id uuid, "eventId" uuid, "startedAt" timestamptz, "durationMs" integer,
       "responseStatus" integer, failure text)
     cross join lateral (select line_id from events where id = x."eventId" limit 1) e
     where e.line_id = ?::uuid
       and not exists (select from listener_attempts a where a.event_id = x."eventId" and a.started_at = x."startedAt")
       and (select count(*) from listener_attempts a where a.event_id = x."eventId") < ${MAX_OF_EVENT}`,
    [toJson(attempts), lineId],
  )
  return rowCount
}

/** Lists the oldest first; the caller has checked whose events they are. */
export async function listListenerAttempts(
  db: Database,
  eventIds: readonly string[],
): Promise<ListenerAttempt[]> {
  return db('listener_attempts')
    .whereIn('event_id', [...eventIds])
    .orderBy(['started_at', 'id'])
    .select<ListenerAttempt[]>(db.raw(columnsOf(FIELDS)))
}
