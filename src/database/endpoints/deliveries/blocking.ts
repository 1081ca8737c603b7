import type { Database } from '../../connection.js'

/** The reasons why a pending delivery has to wait for its next attempt, besides the time that it is due. */
export interface DeliveryWait {
  id: string
  /** The endpoint's limit of concurrent requests, if that many are under way; null if there is room. */
  fullPlaces: number | null
  /** For an ordered delivery, the previous event from the same number, if it is not over. */
  earlierEventId: string | null
  /** The received message of that event. */
  earlierMessageId: string | null
}

export async function findDeliveryWaits(
  db: Database,
  ids: readonly string[],
  maxInFlight: number,
): Promise<DeliveryWait[]> {
  const { rows } = await db.raw<{ rows: DeliveryWait[] }>(
    `select d.id, case when under_way.count >= e.places then e.places end as "fullPlaces",
       earlier.event_id as "earlierEventId", v.message_id as "earlierMessageId"
     from unnest(?::uuid[]) as asked (id)
     cross join lateral (select * from deliveries where id = asked.id and status = 'pending' limit 1) d
     cross join lateral (
       select least(places, (policy ->> 'requestsAtOnce')::integer, ?) as places from endpoints
       where id = d.endpoint_id limit 1
     ) e
     cross join lateral (
       select count(*) from (
         select from deliveries u
         where u.endpoint_id = d.endpoint_id and u.status = 'delivering' and u.lease_until > now() limit ?
       ) taken
     ) under_way
     left join lateral (
       select p.event_id from deliveries p
       where d.is_ordered and p.endpoint_id = d.endpoint_id and p.line_id = d.line_id and p.from_number = d.from_number
         and p.is_ordered and p.status in ('pending', 'delivering') and (p.created_at, p.id) < (d.created_at, d.id)
       order by p.created_at desc, p.id desc limit 1
     ) earlier on true
     left join lateral (select message_id from events where id = earlier.event_id limit 1) v on true`,
    [[...ids], maxInFlight, maxInFlight],
  )
  return rows
}
