import type { Database } from '../../connection.js'
import type { OldMonth } from './months.js'

/** Counting stops here: one is enough for a month to stay. */
const MAX_UNDER_WAY = 1000

/** The rows that keep a month: the number of each, MAX_UNDER_WAY at most. */
export interface UnderWay {
  /** Messages that wait to be sent, or are on their way. */
  messages: number
  /** Deliveries of the month, of its events, or of events of its messages that wait or are on their way. */
  deliveries: number
  /** Deliveries that wait for a person. */
  heldDeliveries: number
  /** Media that are to be copied. */
  media: number
}

/**
 * Counts the rows of a month that are not over. A delivery may be of a later month than its event, and an event than
 * its message: the search starts from the few rows that are under way, and not from the many of the month.
 */
export async function countUnderWay(
  db: Database,
  { from, until }: Pick<OldMonth, 'from' | 'until'>,
): Promise<UnderWay> {
  const within = (column: string) => `(${column} >= :low and ${column} < :high)`
  const { rows: bounds } = await db.raw<{ rows: { low: string; high: string }[] }>(
    'select lowest_id_at(?::timestamptz) as low, lowest_id_at(?::timestamptz) as high',
    [from.toISOString(), until.toISOString()],
  )
  const { low = '', high = '' } = bounds[0] ?? {}
  // Each status is counted separately, because each has an index.
  const count = (table: string, statuses: readonly string[], condition: string) =>
    `(select count(*)::integer from (
       select from (${statuses.map((status) => `select * from ${table} where status = '${status}'`).join(' union all ')}) x
       where ${condition} limit ${MAX_UNDER_WAY}) counted)`
  const ofMonth = `x.id >= :low and (${within('x.id')} or ${within('x.event_id')}
    or exists (select from events e where e.id = x.event_id and ${within('e.message_id')}))`
  const { rows } = await db.raw<{ rows: [UnderWay] }>(
    `select ${count('messages', ['scheduled', 'queued', 'sending'], within('x.id'))} as messages,
       ${count('deliveries', ['pending', 'delivering'], ofMonth)} as deliveries,
       ${count('deliveries', ['held'], ofMonth)} as "heldDeliveries",
       ${count('media', ['pending', 'fetching'], within('x.message_id'))} as media`,
    { low, high },
  )
  return rows[0]
}
