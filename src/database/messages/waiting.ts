import type { Database } from '../connection.js'

/** The things that a queued message that is not paused waits for, as `claim_messages` would find them now. */
export interface MessageWait {
  /** A message to the same number that was accepted before it, and comes first. */
  earlierId: string | null
  /** The line's limits to one number, and in all, within a minute. */
  numberLimit: number
  lineLimit: number
  /** The time when the number, or the line, has room again; null if it has room now. */
  numberOpensAt: Date | null
  lineOpensAt: Date | null
  /** The limit of its carrier account per second; null if there is none. */
  messagesPerSecond: number | null
}

export async function findMessageWait(db: Database, messageId: string): Promise<MessageWait | undefined> {
  const { rows } = await db.raw<{ rows: MessageWait[] }>(
    `with m as (select * from messages where id = ?::uuid limit 1),
     recent as materialized (
       select c.to_number, c.handed_over_at as at from m join messages c
         on c.line_id = m.line_id and c.handed_over_at > now() - window_length()
       union all
       select c.to_number, now() from m join messages c
         on c.line_id = m.line_id and c.status = 'sending' and c.lease_until > '-infinity'
     )
     select earlier.id as "earlierId", l.messages_per_number_per_minute as "numberLimit",
       l.messages_per_minute as "lineLimit",
       least(a.messages_per_second, a.messages_per_second_per_line)::float8 as "messagesPerSecond",
       case when cardinality(t.of_number) >= l.messages_per_number_per_minute
         then now() + make_interval(secs => opens_in_ms(t.of_number, l.messages_per_number_per_minute, now()) / 1000.0)
       end as "numberOpensAt",
       case when cardinality(t.of_line) >= l.messages_per_minute
         then now() + make_interval(secs => opens_in_ms(t.of_line, l.messages_per_minute, now()) / 1000.0)
       end as "lineOpensAt"
     from m
     join lines l on l.id = m.line_id
     cross join lateral (
       select c.messages_per_second, c.messages_per_second_per_line
       from routes_of(l.carrier, l.routes, m.to_number, m.to_country) r join carrier_accounts c on c.name = r.carrier
       order by r.position limit 1
     ) a
     left join line_peers k on k.line_id = m.line_id and k.number = m.to_number
     left join lateral (
       select p.id from messages p
       where p.line_id = m.line_id and p.to_number = m.to_number and p.status in ('queued', 'sending')
         and p.position < m.position
       order by p.position desc limit 1
     ) earlier on true
     cross join lateral (
       select coalesce(array_agg(r.at order by r.at) filter (where r.to_number = m.to_number
           and r.at > coalesce(k.window_cleared_at, '-infinity')), '{}') as of_number,
         coalesce(array_agg(r.at order by r.at), '{}') as of_line
       from recent r
     ) t`,
    [messageId],
  )
  return rows[0]
}
