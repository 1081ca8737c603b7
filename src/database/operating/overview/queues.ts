import type { Database } from '../../connection.js'
import { only } from './reading.js'

/** Counting stops here: beyond it "more than" is shown. */
export const MAX_WAITING = 100_000

/** What is waiting in a queue, by its rows. */
export interface QueueRows {
  /** Rows that are waiting and not over. At most MAX_WAITING + 1. */
  waitingCount: number
  /** Those of them whose time has not come because of a limit, a pace or the next try. */
  laterCount: number
  /** Rows that a worker holds. */
  underWayCount: number
  /** The age of the oldest row that any worker could take now; null if there is none. */
  oldestMs: number | null
}

const MAX_UNDER_WAY = 10_000
/** The number of rows that have waited longest that are looked at more closely. */
const MAX_LOOKED_AT = 200

const ago = (moment: string) => `(extract(epoch from clock_timestamp() - ${moment}) * 1000)::double precision`

/**
 * A message that might be sent is the first to its number, and neither a pause (of its conversation, its line, its
 * account or all sending) nor its media keep it. For any other reason to wait (a limit, a pace, a carrier), a worker
 * has looked at it and written `not_before`.
 */
export async function readMessageRows(db: Database): Promise<QueueRows> {
  const { rows } = await db.raw<{ rows: QueueRows[] }>(
    `with waiting as materialized (
       select m.id, m.line_id, m.to_number, m.position, m.media_urls, m.not_before, m.source,
         greatest(m.created_at, m.send_at, m.not_before) as since
       from messages m where m.status = 'queued' limit ${MAX_WAITING + 1}
     ), heads as (
       select min(position) as position from waiting group by line_id, to_number
     ), ready as materialized (
       select w.* from heads join waiting w using (position)
       join lines l on l.id = w.line_id join carrier_accounts a on a.name = l.carrier
       where w.since <= clock_timestamp()
         and (w.source = 'service' or (l.paused_at is null and a.paused_at is null
           and not exists (select from all_sending where is_all and paused_at is not null)))
       order by w.since limit ${MAX_LOOKED_AT}
     )
     select (select count(*)::integer from waiting) as "waitingCount",
       (select count(*)::integer from waiting where not_before > clock_timestamp()) as "laterCount",
       (select count(*)::integer from (select from messages where status = 'sending' limit ${MAX_UNDER_WAY}) s)
         as "underWayCount",
       (select ${ago('min(r.since)')} from ready r
        where not exists (select from messages p where p.line_id = r.line_id and p.to_number = r.to_number
            and p.status in ('queued', 'sending') and p.position < r.position)
          and not exists (select from line_peers c where c.line_id = r.line_id and c.number = r.to_number
            and c.paused_until > clock_timestamp())
          and not (r.media_urls is not null and exists (select from media x where x.message_id = r.id
            and x.status in ('pending', 'fetching')))) as "oldestMs"`,
  )
  return only(rows)
}

/** The number of endpoints with waiting events that are looked at. */
const MAX_LANES = 2000

export interface DeliveryRows extends QueueRows {
  /** Endpoints that are being called, but still have an event that has waited for a minute. */
  slowLaneCount: number
}

/** A delivery that any worker could take now is the first of an endpoint that is not being called, and not paused. */
export async function readDeliveryRows(db: Database): Promise<DeliveryRows> {
  const { rows } = await db.raw<{ rows: DeliveryRows[] }>(
    `with recursive lanes as (
       (select d.endpoint_id, 1 as n from deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
       union all
       select (select d.endpoint_id from deliveries d where d.status = 'pending' and d.endpoint_id > l.endpoint_id
         order by d.endpoint_id limit 1), l.n + 1
       from lanes l where l.endpoint_id is not null and l.n < ${MAX_LANES}
     ), bound as materialized (
       -- Postgres inlines no function whose argument has a query in it.
       select live_from('deliveries') as first_live
     ), firsts as materialized (
       select first.due_at, exists (select from deliveries d where d.endpoint_id = l.endpoint_id
         and d.status = 'delivering' and d.lease_until > clock_timestamp()) as is_called
       from lanes l cross join bound b cross join lateral lane_head(l.endpoint_id, b.first_live) first
       where first.due_at <= clock_timestamp()
         and exists (select from endpoints e where e.id = l.endpoint_id and e.paused_at is null)
     ), waiting as materialized (
       select d.due_at from deliveries d where d.status = 'pending' limit ${MAX_WAITING + 1}
     )
     select (select count(*)::integer from waiting) as "waitingCount",
       (select count(*)::integer from waiting where due_at > clock_timestamp()) as "laterCount",
       (select count(*)::integer from (select from deliveries where status = 'delivering' limit ${MAX_UNDER_WAY}) d)
         as "underWayCount",
       (select ${ago('min(due_at)')} from firsts where not is_called) as "oldestMs",
       (select count(*)::integer from firsts where is_called and due_at < clock_timestamp() - interval '1 minute')
         as "slowLaneCount"`,
  )
  return only(rows)
}

export interface MediaRows extends QueueRows {
  storedLastMinute: number
}

/** Because the sweep moves `due_at`, a copy that was never tried counts as waiting since it was created. */
export async function readMediaRows(db: Database): Promise<MediaRows> {
  const { rows } = await db.raw<{ rows: MediaRows[] }>(
    `with waiting as materialized (
       select due_at, case when attempt_count = 0 then created_at else due_at end as since
       from media where status = 'pending' limit ${MAX_WAITING + 1}
     )
     select (select count(*)::integer from waiting) as "waitingCount",
       (select count(*)::integer from waiting where since > clock_timestamp()) as "laterCount",
       (select count(*)::integer from (select from media where status = 'fetching' limit ${MAX_UNDER_WAY}) x)
         as "underWayCount",
       (select ${ago('min(since)')} from waiting where since <= clock_timestamp()) as "oldestMs",
       (select count(*)::integer from media where status = 'stored' and removed_at is null
          and stored_at > clock_timestamp() - interval '1 minute') as "storedLastMinute"`,
  )
  return only(rows)
}
