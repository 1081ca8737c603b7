import type { Database } from '../../connection.js'

export interface BusyLine {
  id: string
  userId: string
  number: string
  name: string
  acceptedCount: number
  receivedCount: number
}

/** The number of newest messages that are counted. */
const MAX_MESSAGES = 50_000
const SHOWN = 5

/** Lists the lines with the most messages of the last 15 minutes, in both directions. */
export async function listBusiestLines(db: Database): Promise<BusyLine[]> {
  const { rows } = await db.raw<{ rows: BusyLine[] }>(
    `with recent as materialized (
       select line_id, direction from messages
       where id >= lowest_id_at(now() - interval '15 minutes') order by id desc limit ${MAX_MESSAGES}
     ), busiest as (
       select line_id, count(*) filter (where direction = 'outbound')::integer as accepted,
         count(*) filter (where direction = 'inbound')::integer as received
       from recent group by 1 order by count(*) desc, 1 limit ${SHOWN}
     )
     select l.id, l.user_id as "userId", l.number, l.name, b.accepted as "acceptedCount", b.received as "receivedCount"
     from busiest b join lines l on l.id = b.line_id order by b.accepted + b.received desc, l.id`,
  )
  return rows
}
