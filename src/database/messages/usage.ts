import type { Database } from '../connection.js'

/** A line's sending in a month of UTC. */
export interface UsageRow {
  /** A month such as `2026-11`. */
  month: string
  lineId: string
  messageCount: number
  segmentCount: number
  /** The number of these segments that carriers have counted; we counted the others. */
  carrierSegmentCount: number
}

export interface SpendingRow {
  month: string
  lineId: string
  /** An ISO 4217 code. */
  currency: string
  /** Exact, in whole units of the currency. */
  amount: string
  messageCount: number
}

/** The start and the end of a span of months, in UTC. */
export interface Months {
  from: Date
  until: Date
}

/**
 * Counts the messages themselves, without those that were deleted because of their age. Lines without messages have no
 * row. A bound on the IDs would not help: a message that was rescheduled repeatedly may be months older than its
 * sending.
 */
export async function countUsage(
  db: Database,
  lineIds: readonly string[],
  { from, until }: Months,
): Promise<UsageRow[]> {
  const { rows } = await db.raw<{ rows: UsageRow[] }>(
    `select to_char(u.month, 'YYYY-MM') as month, l.id as "lineId", u.messages as "messageCount", u.segments as "segmentCount",
       u.of_carriers as "carrierSegmentCount"
     from unnest(:lineIds::uuid[]) l (id)
     cross join lateral (
       select date_trunc('month', m.handed_over_at at time zone 'UTC') as month, count(*)::integer as messages,
         sum(coalesce(m.carrier_segment_count, m.segment_count, 1))::integer as segments,
         coalesce(sum(m.carrier_segment_count), 0)::integer as of_carriers
       from messages m
       where m.line_id = l.id and m.handed_over_at >= :from and m.handed_over_at < :until
         and (m.sent_at is not null or m.price is not null)
       group by 1
     ) u`,
    { lineIds: [...lineIds], from, until },
  )
  return rows
}

/** Lists the costs according to carriers, which are kept forever. */
export async function listSpending(
  db: Database,
  lineIds: readonly string[],
  { from, until }: Months,
): Promise<SpendingRow[]> {
  const { rows } = await db.raw<{ rows: SpendingRow[] }>(
    `select to_char(s.month, 'YYYY-MM') as month, s.line_id as "lineId", s.currency, s.amount::text as amount,
       s.message_count as "messageCount"
     from spending s
     where s.line_id = any (:lineIds::uuid[])
       and s.month >= (:from::timestamptz at time zone 'UTC')::date and s.month < (:until::timestamptz at time zone 'UTC')::date
     order by s.month, s.line_id, s.currency`,
    { lineIds: [...lineIds], from, until },
  )
  return rows
}
