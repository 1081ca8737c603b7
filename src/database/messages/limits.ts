import type { Database } from '../connection.js'
import type { Allowance } from './queueing.js'

export interface LimitsNow {
  line: Allowance
  /** The numbers with the most messages in the last 60 s, fullest first. */
  numbers: ({ number: string } & Allowance)[]
}

/**
 * Reads the windows of a line's incoming webhook as `queue_messages` would find them now, for the owner; undefined if
 * the user has no such line. (Why `lowest_id_at(now − 1 day)`: see `findOpenIncomingWebhooks`.)
 */
export async function readLimitsNow(
  db: Database,
  userId: string,
  lineId: string,
  numberCount: number,
): Promise<LimitsNow | undefined> {
  const { rows } = await db.raw<{ rows: { line: Allowance; numbers: LimitsNow['numbers'] }[] }>(
    `with line as (
       select id, messages_per_minute as line_limit, messages_per_number_per_minute as number_limit
       from lines where user_id = ? and id = ?::uuid
     ), recent as (
       select m.to_number, m.created_at, c.window_cleared_at is null or m.created_at > c.window_cleared_at as counts
       from line cross join lateral (
         select to_number, created_at from messages
         where line_id = line.id and source = 'webhook' and (send_at is null or is_postponed)
           and created_at > now() - limit_window() and id >= lowest_id_at(now() - interval '1 day')
       ) m
       left join line_peers c on c.line_id = line.id and c.number = m.to_number
     ), busiest as (
       select to_number, array_agg(created_at order by created_at) as times
       from recent where counts group by to_number
       order by count(*) desc, max(created_at) desc limit ?
     ), all_times as (
       select coalesce(array_agg(created_at order by created_at), '{}') as times from recent
     )
     select
       json_build_object('limit', line_limit, 'used', cardinality(a.times),
         'opensMs', opens_in_ms(a.times, line_limit, now())) as line,
       (select coalesce(json_agg(json_build_object('number', to_number, 'limit', number_limit,
           'used', cardinality(b.times), 'opensMs', opens_in_ms(b.times, number_limit, now()))
           order by cardinality(b.times) desc, to_number), '[]')
        from busiest b) as numbers
     from line cross join all_times a`,
    [userId, lineId, numberCount],
  )
  return rows[0]
}

/** A message that counts in the sending windows of its line now, as `claim_messages` counts it. */
interface HandedOver {
  id: string
  toNumber: string
  /** The time since it was handed over; 0 while it is on its way. */
  agoMs: number
  /** False if the number has written since, which has emptied the window of the number, but not that of the line. */
  countsForNumber: boolean
}

export async function listHandedOver(db: Database, lineId: string): Promise<HandedOver[]> {
  const { rows } = await db.raw<{ rows: HandedOver[] }>(
    `select m.id, m.to_number as "toNumber",
       greatest(0, extract(epoch from clock_timestamp() - m.handed_over_at) * 1000)::integer as "agoMs",
       m.handed_over_at > coalesce(k.window_cleared_at, '-infinity') as "countsForNumber"
     from messages m left join line_peers k on k.line_id = m.line_id and k.number = m.to_number
     where m.line_id = ?::uuid and m.handed_over_at > clock_timestamp() - window_length()
     union all
     select id, to_number, 0, true from messages where line_id = ?::uuid and status = 'sending'`,
    [lineId, lineId],
  )
  return rows
}

/** The limits of a line's sending, and the paces of an account that it may send through. */
export interface SendingLimits {
  lineId: string
  numberLimit: number
  lineLimit: number
  account: { id: string; messagesPerSecond: number | null; messagesPerSecondPerLine: number | null }
}

/** Lists the limits of lines, once for each account of a line. */
export async function listSendingLimits(db: Database, lineIds: readonly string[]): Promise<SendingLimits[]> {
  const { rows } = await db.raw<{ rows: SendingLimits[] }>(
    `select l.id as "lineId", l.messages_per_number_per_minute as "numberLimit", l.messages_per_minute as "lineLimit",
       json_build_object('id', c.id, 'messagesPerSecond', c.messages_per_second,
         'messagesPerSecondPerLine', c.messages_per_second_per_line) as account
     from lines l join carrier_accounts c on is_line_at(l.carrier, l.routes, c.name)
     where l.id = any (?::uuid[])`,
    [[...lineIds]],
  )
  return rows
}
