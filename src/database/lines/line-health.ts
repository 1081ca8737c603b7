import type { Database } from '../connection.js'
import type { DisabledReason } from '../endpoints/endpoints.js'
import { allOf } from '../lists.js'
import { SETTLED } from '../operating/overview/loose-ends.js'

/** The health of one of its servers. */
export interface EndpointHealth {
  id: string
  /** null if no event was sent to it yet. */
  calledAt: Date | null
  failingSince: Date | null
  /** Why the last attempt failed, while the server is failing. */
  lastFailure: string | null
  consecutiveFailureCount: number
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  pausedAt: Date | null
  /** True if events wait for a person. */
  hasHeld: boolean
  /** True if events wait for their next attempt. */
  hasWaiting: boolean
  name: string | null
  url: string
}

/** The health of a connected line beyond what its row shows. */
export interface LineHealth {
  lineId: string
  hasIncomingWebhook: boolean
  /**
   * The time since which it receives messages that no endpoint takes: that of the oldest of its newest ones; null if
   * there are none.
   */
  unheardSince: Date | null
  /** Its messages of the last 24 h whose outcome is unknown; null if there are none. */
  unknownMessages: LooseEnd | null
  /** Media that it received in the last 24 h and that could not be copied so far; null if there are none. */
  failingMedia: LooseEnd | null
  /** The health of its endpoints, oldest first. */
  endpoints: EndpointHealth[]
  /** The events to all of them. */
  events: DayEvents
}

/** The number of messages or media that have the same problem. */
export interface LooseEnd {
  count: number
  since: Date
  /** The newest message. */
  messageId: string
}

/** The outcome of the newest events of the last 24 h. */
export interface DayEvents {
  /** Keyed by how many hours ago they came; hours without events are left out. */
  hours: EventHour[]
  /** True if there were more than `EVENTS_COUNTED`, so that older ones are left out. */
  isInPart: boolean
}

export interface EventHour {
  hoursAgo: number
  delivered: number
  failed: number
}

/** No more than this are counted per line. */
const LOOSE_ENDS_COUNTED = 1000

/**
 * @param found selects a time and a `message_id`
 */
function looseEndOf(found: string): string {
  return `(select case when count(*) > 0 then
      jsonb_build_object('count', count(*), 'since', min(f.at), 'messageId', (array_agg(f.message_id order by f.at desc))[1]) end
    from (${found} limit ${LOOSE_ENDS_COUNTED}) f)`
}

/** This is enough to show a trend, and few enough for a page with hundreds of lines. */
export const EVENTS_COUNTED = 500

/** A line that only sends does not count as losing events. */
const LOOKED_FOR_UNHEARD = 50

const HEALTH = `jsonb_build_object('id', e.id, 'calledAt', e.called_at, 'failingSince', e.failing_since,
  'lastFailure', e.last_failure, 'consecutiveFailureCount', e.consecutive_failure_count, 'name', e.name, 'url', e.url,
  'disabledAt', e.disabled_at, 'disabledReason', e.disabled_reason, 'pausedAt', e.paused_at,
  'hasWaiting', exists (select from deliveries d where d.endpoint_id = e.id and d.status = 'pending'),
  'hasHeld', exists (select from deliveries d where d.endpoint_id = e.id and d.status = 'held'))`

/**
 * Counts the newest events of a line or an application by the hour.
 *
 * @param of selects rows of `deliveries d`, by an index that has them in their order
 * @param which selects those that are counted
 */
function hoursOf(of: string, which = 'true'): string {
  return `select floor(extract(epoch from now() - d.created_at) / 3600)::integer as hours_ago,
      count(*) filter (where d.status = 'delivered' and is_counted) as delivered,
      count(*) filter (where d.status <> 'delivered' and d.last_failure is not null and is_counted) as failed,
      bool_or(is_counted) as has_any, bool_or(d.n > ${EVENTS_COUNTED}) as is_in_part
    from (
      select created_at, status, last_failure, endpoint_id, row_number() over (order by d.id desc) as n from deliveries d
      where ${of} and d.id >= lowest_id_at(now() - interval '24 hours')
      order by d.id desc limit ${EVENTS_COUNTED} + 1
    ) d cross join lateral (select d.n <= ${EVENTS_COUNTED} and ${which} as is_counted) c group by 1`
}

/** An hour as it is read: even one with nothing to count may show that there are more events. */
type HourRow = EventHour & { hasAny: boolean; isInPart: boolean }

function eventsOf(rows: readonly HourRow[]): DayEvents {
  return {
    hours: rows
      .filter(({ hasAny }) => hasAny)
      .map(({ hoursAgo, delivered, failed }) => ({ hoursAgo, delivered, failed })),
    isInPart: rows.some(({ isInPart }) => isInPart),
  }
}

/** Counts the events of one endpoint, among the newest of its line or application. */
export async function listEndpointHours(
  db: Database,
  { id, lineId, applicationId }: { id: string; lineId: string | null; applicationId: string | null },
): Promise<DayEvents> {
  const [of, ownerId] =
    lineId === null
      ? ['d.application_id = ?::uuid', applicationId]
      : ['d.line_id = ?::uuid and d.application_id is null', lineId]
  const { rows } = await db.raw<{ rows: HourRow[] }>(
    `select hours_ago as "hoursAgo", delivered::integer, failed::integer, has_any as "hasAny", is_in_part as "isInPart"
     from (${hoursOf(of, 'd.endpoint_id = ?::uuid')}) y`,
    [ownerId, id],
  )
  return eventsOf(rows)
}

/**
 * Reads the health of all lines of a user, or of one. Each line costs one look-up in `deliveries_line`, and each
 * endpoint one in `deliveries_held`, all bounded.
 */
export async function listLineHealth(db: Database, userId: string, lineId?: string): Promise<LineHealth[]> {
  const line = allOf([['l.id = ?::uuid', lineId]])
  const { rows } = await db.raw<{ rows: (Omit<LineHealth, 'events'> & { hours: HourRow[] })[] }>(
    // Few messages of all lines are unknown, and the lines of a user share the look-up in `messages_unknown`.
    `with unknown as materialized (
       select id, line_id, claimed_at from messages
       where status = 'unknown' and claimed_at > now() - interval '24 hours' and claimed_at < now() - ${SETTLED}
         and user_id = ?::uuid
     )
     select l.id as "lineId", exists (select from incoming_webhooks w where w.line_id = l.id) as "hasIncomingWebhook",
       case when not exists (select from endpoints_of_lines(array[l.id])) then (
         select min(m.created_at) from (
           select created_at, direction from messages m
           where m.line_id = l.id and m.id >= lowest_id_at(now() - interval '7 days') order by m.id desc limit ${LOOKED_FOR_UNHEARD}
         ) m where m.direction = 'inbound') end as "unheardSince",
       ${looseEndOf(`select u.claimed_at as at, u.id as message_id from unknown u where u.line_id = l.id`)} as "unknownMessages",
       ${looseEndOf(
         `select d.created_at as at, d.message_id from media d where d.line_id = l.id and d.purpose <> 'outbound'
          and d.failure is not null and d.status <> 'stored' and d.id >= lowest_id_at(now() - interval '24 hours')
          order by d.id desc`,
       )} as "failingMedia",
       coalesce(e.endpoints, '[]') as endpoints, coalesce(h.hours, '[]') as hours
     from lines l
     left join lateral (
       select jsonb_agg(${HEALTH} order by e.id) as endpoints
       from endpoints e where e.line_id = l.id and e.removed_at is null
     ) e on true
     left join lateral (
       select jsonb_agg(jsonb_build_object('hoursAgo', y.hours_ago, 'delivered', y.delivered, 'failed', y.failed,
         'hasAny', y.has_any, 'isInPart', y.is_in_part)) as hours
       from (
         ${hoursOf('d.line_id = l.id and d.application_id is null')}
       ) y
     ) h on e.endpoints is not null
     where l.user_id = ?${line.sql}`,
    [userId, userId, ...line.bindings],
  )
  return rows.map(({ endpoints, hours, ...row }) => ({
    ...row,
    unknownMessages: sinceAsDate(row.unknownMessages),
    failingMedia: sinceAsDate(row.failingMedia),
    endpoints: endpoints.map(withDates),
    events: eventsOf(hours),
  }))
}

function sinceAsDate(end: LooseEnd | null): LooseEnd | null {
  return end && { ...end, since: new Date(end.since) }
}

/** JSON has times as text. */
function withDates(endpoint: EndpointHealth): EndpointHealth {
  const dateOf = (written: Date | null) => (written === null ? null : new Date(written))
  return {
    ...endpoint,
    calledAt: dateOf(endpoint.calledAt),
    failingSince: dateOf(endpoint.failingSince),
    disabledAt: dateOf(endpoint.disabledAt),
    pausedAt: dateOf(endpoint.pausedAt),
  }
}
