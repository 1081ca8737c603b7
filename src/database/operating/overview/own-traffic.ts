import type { Database } from '../../connection.js'
import type { Counts } from './traffic-counts.js'

/** The traffic of one user's lines in a bin, or in the whole span if `bin` is null. */
export interface OwnBin extends Counts {
  bin: number | null
  /** From the acceptance of a message to its hand-over, and from an event to the 2xx: median and p95 in ms. */
  toCarrier: [p50Ms: number, p95Ms: number] | null
  toEndpoint: [p50Ms: number, p95Ms: number] | null
}

export interface OwnSums {
  bins: OwnBin[]
  /** Before this time, some line has rows that were not counted; null if all were counted. */
  lookedBackTo: Date | null
}

/** Only this many of the newest rows are counted, divided among the user's lines. */
const MAX_ROWS = 50_000
const SHARE = `(select greatest(100, ${MAX_ROWS} / count(*)) from lines where user_id = :userId)`

/** SQL for the newest rows of a table since a moment, for each of the user's lines, which is `of_line`. */
export function newestOfUser(table: 'messages' | 'deliveries', columns: string, since: string): string {
  return `select l.id as of_line, r.* from lines l cross join lateral (
    select ${columns} from ${table} where line_id = l.id and id >= lowest_id_at(${since})
    order by id desc limit ${SHARE}) r
  where l.user_id = :userId`
}

/** SQL: where the newest rows are complete from, because a busy line had its share by then; null if they all are. */
export function lookedBackTo(newest: string): string {
  return `(select max(oldest) from (
    select min(created_at) as oldest from ${newest} group by of_line having count(*) >= ${SHARE}) o)`
}

/** Counts the traffic of the user's lines by the bin in which each message or event was created. */
export async function sumOwnTraffic(
  db: Database,
  bindings: { userId: string; since: string; binSeconds: number },
): Promise<OwnSums> {
  const bin = 'floor(extract(epoch from created_at - :since::timestamptz) / :binSeconds)::integer as bin'
  const percentiles = (interval: string, filter: string) =>
    `percentile_disc(array[0.5, 0.95]) within group (order by (extract(epoch from ${interval}) * 1000)::double precision)
       filter (where ${filter})`
  const count = (filter: string) => `count(*) filter (where ${filter})::integer`
  const { rows } = await db.raw<{ rows: (OwnBin & Pick<OwnSums, 'lookedBackTo'>)[] }>(
    `with newest_m as materialized (
       ${newestOfUser('messages', 'direction, status, created_at, send_at, handed_over_at', ':since::timestamptz')}
     ), newest_d as materialized (
       ${newestOfUser('deliveries', 'status, created_at, delivered_at, attempt_count', ':since::timestamptz')}
     ), m as (
       select ${bin}, r.* from newest_m r where created_at >= :since::timestamptz
     ), d as (
       select ${bin}, r.* from newest_d r where created_at >= :since::timestamptz
     ), of_messages as (
       select bin, ${count(`direction = 'outbound'`)} as accepted, ${count(`status in ('sent', 'delivered')`)} as sent,
         ${count(`status = 'delivered'`)} as delivered, ${count(`status = 'failed'`)} as failed,
         ${count(`status = 'unknown'`)} as unknown, ${count(`direction = 'inbound'`)} as received,
         ${percentiles('handed_over_at - greatest(created_at, send_at)', 'handed_over_at is not null')} as to_carrier
       from m group by grouping sets ((bin), ())
     ), of_deliveries as (
       select bin, ${count(`status = 'delivered'`)} as delivered,
         coalesce(sum(attempt_count - case status when 'delivered' then 1 else 0 end), 0)::integer as failed,
         ${percentiles('delivered_at - created_at', 'delivered_at is not null')} as to_endpoint
       from d group by grouping sets ((bin), ())
     )
     select coalesce(m.bin, d.bin) as bin, coalesce(m.accepted, 0) as accepted, coalesce(m.sent, 0) as sent,
       coalesce(m.delivered, 0) as delivered, coalesce(m.failed, 0) as failed, coalesce(m.unknown, 0) as unknown,
       coalesce(m.received, 0) as received, coalesce(d.delivered, 0) as "eventsDelivered",
       coalesce(d.failed, 0) as "attemptsFailed", m.to_carrier as "toCarrier", d.to_endpoint as "toEndpoint",
       greatest(${lookedBackTo('newest_m')}, ${lookedBackTo('newest_d')}) as "lookedBackTo"
     from of_messages m full join of_deliveries d on coalesce(d.bin, -1) = coalesce(m.bin, -1)`,
    bindings,
  )
  return { bins: rows, lookedBackTo: rows[0]?.lookedBackTo ?? null }
}
