import { MESSAGE_EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../event-types.js'
import type { Database } from '../connection.js'
import { HAS_CONTENT } from '../people/forgotten.js'
import type { Event } from './events.js'

/** An event of a line, with its readiness to go out. */
export interface LineEvent extends Event {
  lineId: string
  fromNumber: string
  toNumber: string
  createdAt: Date
  /** True if it waits for the copy of its media. */
  isWaiting: boolean
}

/** A result of the search: a message or a delivery, and the event that it leads to, if there is one. */
export interface LineEventRow {
  key: string
  event: LineEvent | undefined
}

const EVENT = `e.id, e.user_id as "userId", e.line_id as "lineId", e.message_id as "messageId", e.type, e.payload,
  e.from_number as "fromNumber", e.to_number as "toNumber", e.created_at as "createdAt",
  exists (select from media c where c.message_id = e.message_id and c.event_id = e.id and c.status <> 'stored')
    as "isWaiting"`

const TEST_EVENT = `t.id, t.user_id, t.line_id, null::uuid, t.type, t.payload, t.from_number, t.to_number, t.created_at, false`

/**
 * Lists the events of a line whose messages or deliveries come after an id, oldest first: those of received messages,
 * those that the line's own URL gets because it asked for them, and the examples that were made for listeners. Nothing
 * is left to send about people who were forgotten.
 *
 * `events` has no index by line, and needs none for this: events of received messages are found by the line's messages,
 * all others by the line's deliveries. So nothing is written for lines without listeners, and what one call reads is
 * bounded by `limit`, even if a line only sends.
 */
export async function listLineEvents(
  db: Database,
  { lineId, afterKey, limit }: { lineId: string; afterKey: string; limit: number },
): Promise<LineEventRow[]> {
  const { rows } = await db.raw<{ rows: ({ key: string } & (LineEvent | { id: null }))[] }>(
    `select s.key, e.*
     from (
       (select id as key, case direction when 'inbound' then id end as message_id, null::uuid as event_id
        from messages where line_id = :lineId::uuid and id > :afterKey::uuid order by id limit :limit)
       union all
       (select id, null, case when application_id is null and type = any (:optIn::text[]) then event_id end
        from deliveries where line_id = :lineId::uuid and id > :afterKey::uuid order by id limit :limit)
       union all
       (select id, null, id from test_events where line_id = :lineId::uuid and id > :afterKey::uuid
        order by id limit :limit)
       order by key limit :limit
     ) s
     left join lateral (
       (select ${EVENT} from events e
        where e.message_id = s.message_id and e.type = any (:types::text[]) and ${HAS_CONTENT})
       union all
       (select ${EVENT} from events e where e.id = s.event_id and ${HAS_CONTENT} limit 1)
       union all
       (select ${TEST_EVENT} from test_events t where t.id = s.event_id limit 1)
     ) e on true
     order by s.key, e.id`,
    { lineId, afterKey, limit, types: [...MESSAGE_EVENT_TYPES], optIn: [...OPT_IN_EVENT_TYPES] },
  )
  return rows.map((row) => ({ key: row.key, event: row.id === null ? undefined : row }))
}

/** Reads events in their current state; any that are gone are left out. */
export async function listLineEventsById(db: Database, ids: readonly string[]): Promise<LineEvent[]> {
  const { rows } = await db.raw<{ rows: LineEvent[] }>(
    `select e.* from unnest(:ids::uuid[]) as asked (id)
     cross join lateral (select ${EVENT} from events e where e.id = asked.id and ${HAS_CONTENT} limit 1) e order by e.id`,
    { ids: [...ids] },
  )
  return rows
}

/**
 * Lists the media events of a range of messages that are waiting for their copy, or whose copy was made since a given
 * time.
 */
export async function listLateMediaEvents(
  db: Database,
  span: { lineId: string; fromKey: string; untilKey: string; since: Date; limit: number },
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select e.id
     from (select id from messages where line_id = :lineId::uuid and id between :fromKey::uuid and :untilKey::uuid
       and direction = 'inbound' order by id desc limit :limit) m
     cross join lateral (select event_id from media where message_id = m.id
       and (status <> 'stored' or stored_at >= :since)) c
     cross join lateral (select id from events where id = c.event_id limit 1) e`,
    span,
  )
  return rows.map(({ id }) => id)
}
