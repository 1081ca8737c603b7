import type { Database } from './connection.js'
import type { Event, EventType } from './events.js'
import { conditions, idsBetween } from './pages.js'
import { FORGOTTEN } from './people/forgotten.js'

/** Which events are replayed: those of a span of time, by the ids of the rows. */
export interface ReplayFilter {
  from: Date
  until: Date
  /** Every line's, when left out. */
  lineId?: string
  type?: EventType
}

const EVENT = `id, user_id as "userId", line_id as "lineId", message_id as "messageId", type, payload,
  from_number as "fromNumber", to_number as "toNumber"`

/** Oldest first, those after one. */
export async function listEventsBetween(
  db: Database,
  filter: ReplayFilter,
  afterId: string,
  limit: number,
): Promise<Event[]> {
  const { sql, bindings } = condition(filter)
  const { rows } = await db.raw<{ rows: Event[] }>(
    `select ${EVENT} from events where id > ?::uuid${sql}${HAS_CONTENT} order by id limit ?`,
    [afterId, ...bindings, limit],
  )
  return rows
}

export async function countEventsBetween(db: Database, filter: ReplayFilter): Promise<number> {
  return count(db, 'events', filter, HAS_CONTENT)
}

/** Of people who were forgotten there is nothing left to send. */
const HAS_CONTENT = ` and from_number <> '${FORGOTTEN}'`
/** What is not under way any more, and may be sent again. */
const OVER = `${HAS_CONTENT} and status in ('delivered', 'exhausted', 'held')`

/** Oldest first, those after one. */
export async function listDeliveriesBetween(
  db: Database,
  filter: ReplayFilter,
  afterId: string,
  limit: number,
): Promise<{ id: string; userId: string }[]> {
  const { sql, bindings } = condition(filter)
  const { rows } = await db.raw<{ rows: { id: string; userId: string }[] }>(
    `select id, user_id as "userId" from deliveries where id > ?::uuid${sql}${OVER} order by id limit ?`,
    [afterId, ...bindings, limit],
  )
  return rows
}

export async function countDeliveriesBetween(db: Database, filter: ReplayFilter): Promise<number> {
  return count(db, 'deliveries', filter, OVER)
}

async function count(db: Database, table: string, filter: ReplayFilter, more: string): Promise<number> {
  const { sql, bindings } = condition(filter)
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*)::integer as count from ${table} where true${sql}${more}`,
    bindings,
  )
  return rows[0]?.count ?? 0
}

function condition({ from, until, lineId, type }: ReplayFilter): { sql: string; bindings: string[] } {
  const span = idsBetween('id', { limit: 0 }, { from, until })
  const given = conditions([
    ['line_id = ?::uuid', lineId],
    ['type = ?', type],
  ])
  return { sql: span.sql + given.sql, bindings: [...span.bindings, ...given.bindings] }
}
