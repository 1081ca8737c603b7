import type { Database } from '../../connection.js'
import type { Counts } from './traffic-counts.js'

/** The traffic of one user's lines in a bin, or in the whole span if `bin` is null. */
export interface OwnBin extends Counts {
  bin: number | null
  /** From the acceptance of a message to its hand-over, and from an event to the 2xx: median and p95 in ms. */
  toCarrier: [p50Ms: number, p95Ms: number] | null
  toEndpoint: [p50Ms: number, p95Ms: number] | null
}

/** Only this many of the newest rows are counted, divided among the user's lines. */
const MAX_ROWS = 50_000

/** SQL for the newest rows of a table since a moment, for each of the user's lines. */
export function newestOfUser(table: 'messages' | 'deliveries', columns: string, since: string): string {
  return `select r.* from lines l cross join lateral (
    select ${columns} from ${table} where line_id = l.id and id >= lowest_id_at(${since})
    order by id desc limit (select greatest(100, ${MAX_ROWS} / count(*)) from lines where user_id = :userId)) r
  where l.user_id = :userId`
}

/** Counts the traffic of the user's lines by the bin in which each message or event was created. */
export async function sumOwnTraffic(
  db: Database,
  bindings: { userId: string; since: string; binSeconds: number },
): Promise<OwnBin[]> {
  const bin = 'floor(extract(epoch from created_at - :since::timestamptz) / :binSeconds)::integer as bin'
  const percentiles = (interval: string, filter: string) =>
    `percentile_disc(array[0.5, 0.95]) within group (order by (extract(epoch from ${interval}) * 1000)::double precision)
       filter (where ${filter})`
  const count = (filter: string) => `count(*) filter (where ${filter})::integer`
  const { rows } = await db.raw<{ rows: OwnBin[] }>(
    `with m as materialized (
       select ${bin}, r.* from (
         ${newestOfUser('messages', 'direction, status, created_at, send_at, handed_over_at', ':since::timestamptz')}) r
       where created_at >= :since::timestamptz
     ), d as materialized (
       select ${bin}, r.* from (
         ${newestOfUser('deliveries', 'status, created_at, delivered_at, attempt_count', ':since::timestamptz')}) r
       where created_at >= :since::timestamptz
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
       coalesce(d.failed, 0) as "attemptsFailed", m.to_carrier as "toCarrier", d.to_endpoint as "toEndpoint"
     from of_messages m full join of_deliveries d on coalesce(d.bin, -1) = coalesce(m.bin, -1)`,
    bindings,
  )
  return rows
}
