import { OPT_IN_EVENT_TYPES, type EventType } from '../../event-types.js'
import type { Database } from '../connection.js'
import { WITHOUT_MEDIA, type NewDelivery } from './deliveries/creating.js'
import { hasEvent, hasReceiver } from './deliveries/receiver.js'
import type { Event } from './events.js'
import { allOf, madeBetween } from '../lists.js'
import { HAS_CONTENT } from '../people/forgotten.js'

/** `undelivered` means that no endpoint got it, or that an attempt has failed and the next one is still to come. */
export const REPLAY_OUTCOMES = ['any', 'undelivered', 'delivered'] as const
export type ReplayOutcome = (typeof REPLAY_OUTCOMES)[number]

/** The events to replay: those of a time range. */
export interface ReplayFilter {
  from: Date
  until: Date
  /** If this and `accountId` are left out, every line is meant. */
  lineId?: string
  /** null means the lines' own endpoints; if left out, every endpoint is meant. */
  applicationId?: string | null
  /** If set, only deliveries to these endpoints are meant. */
  endpointIds?: readonly string[]
  /** If set, only notifications to this user are meant, which belong to no line. */
  accountId?: string
  /** If left out, every type is meant. */
  types?: readonly EventType[]
  outcome: ReplayOutcome
}

const FAILED = `(status in ('exhausted', 'held') or status = 'pending' and attempt_count > 0)`

const HAS_OUTCOME: Record<ReplayOutcome, string> = {
  any: ` and (status = 'delivered' or ${FAILED})`,
  undelivered: ` and ${FAILED}`,
  delivered: ` and status = 'delivered'`,
}

/**
 * Deliveries that are under way, or wait for their first attempt or for a copy of their media, go out anyway. Those
 * whose receiver or event is gone, or whose endpoint is disabled, stay as they are: otherwise, deliveries that had
 * arrived would look as if they never had.
 */
function deliveriesOf(filter: ReplayFilter, afterId: string): Selection {
  const { sql, bindings } = spanOf(filter)
  const receivers = receiversOf(filter)
  return {
    sql: `from deliveries where id > ?::uuid${sql}${receivers.sql} and ${HAS_CONTENT}${HAS_OUTCOME[filter.outcome]}
      and not (status = 'held' and ${WITHOUT_MEDIA}) and ${hasReceiver('deliveries')}
      and (select disabled_at is null from endpoints where id = deliveries.endpoint_id limit 1) and ${hasEvent('deliveries')}`,
    bindings: [afterId, ...bindings, ...receivers.bindings],
  }
}

/**
 * Gives deliveries a new round of attempts, marked as a replay: those after a given one, oldest first. A locked one
 * is being sent by another process.
 *
 * @returns the deliveries in order of their ids, to be enqueued after the commit
 */
export async function replayDeliveries(
  trx: Database,
  filter: ReplayFilter,
  { taskId, afterId, limit }: { taskId: string; afterId: string; limit: number },
): Promise<NewDelivery[]> {
  const { sql, bindings } = deliveriesOf(filter, afterId)
  const { rows } = await trx.raw<{ rows: NewDelivery[] }>(
    `with chosen as materialized (select id, status ${sql} order by id limit ? for update skip locked),
     restarted as (
       update deliveries d set status = 'pending', due_at = clock_timestamp(), round_attempt_count = 0, crash_count = 0,
         lost_count = 0, job_generation = d.job_generation + 1, delivered_at = null, task_id = ?::uuid
       where d.id = any (array(select id from chosen))
       returning d.id, d.endpoint_id as "endpointId", d.job_generation as generation
     )
     select * from restarted order by id`,
    [...bindings, limit, taskId],
  )
  return rows
}

/** An event and the row whose id the list continues after. */
export interface ListedEvent extends Event {
  position: string
}

/** Lists the oldest first, after a given position. */
export async function listEventsToReplay(
  db: Database,
  filter: ReplayFilter,
  afterId: string,
  limit: number,
): Promise<ListedEvent[]> {
  const { sql, bindings } = eventsOf(filter, afterId)
  const { rows } = await db.raw<{ rows: ListedEvent[] }>(
    `select chosen.id as position, v.id, v.user_id as "userId", v.line_id as "lineId", v.message_id as "messageId", v.type,
       v.payload, v.from_number as "fromNumber", v.to_number as "toNumber"
     from (${sql} order by id limit ?) chosen
     cross join lateral (select * from events where id = chosen.event_id limit 1) v
     order by chosen.id`,
    [...bindings, limit],
  )
  return rows
}

/** Without a copy of its media, the URL in an event leads nowhere. */
const HAS_MEDIA = `coalesce((select false from media c where c.message_id = events.message_id and c.event_id = events.id
  and c.status <> 'stored' limit 1), true)`

/**
 * True for events that went to the endpoint, or have a type that it gets: a receiver may refuse the others, and ten
 * refusals end a replay. A reader who names types gets those.
 */
function fits({ endpointIds, types }: ReplayFilter): Selection {
  if (endpointIds === undefined || types !== undefined) return { sql: '', bindings: [] }
  const ids = `{${endpointIds.join()}}`
  return {
    sql: ` and coalesce((select case when events.type = any (?::text[]) then events.type = any (e.opt_in_events)
        else coalesce(e.policy -> 'declinedEvents' @> to_jsonb(events.type), false) is false end
        from endpoints e where e.id = any (?::uuid[]) limit 1)
      or (select true from deliveries d where d.event_id = events.id and d.endpoint_id = any (?::uuid[]) limit 1), false)`,
    bindings: [`{${OPT_IN_EVENT_TYPES.join()}}`, ids, ids],
  }
}

/**
 * For an application, selects the events that were meant for it while its line is connected; otherwise those of the
 * lines that fit, with or without receivers.
 */
function eventsOf(filter: ReplayFilter, afterId: string): Selection {
  const { sql, bindings } = spanOf(filter)
  const receivers = receiversOf(filter)
  if (filter.applicationId != null) {
    return {
      sql: `select id, event_id, created_at from deliveries
        where id > ?::uuid${sql}${receivers.sql} and ${HAS_CONTENT}${HAS_OUTCOME[filter.outcome]}
          and not (status = 'held' and ${WITHOUT_MEDIA}) and exists (select from application_lines c where c.application_id = deliveries.application_id
            and c.line_id = deliveries.line_id and gets_events(c.scopes))
          and ${hasEvent('deliveries')}`,
      bindings: [afterId, ...bindings, ...receivers.bindings],
    }
  }
  // `exists` is not used here: to find a batch of ten the planner would read every delivery in the table.
  const got = `coalesce((select true from deliveries
    where event_id = events.id and status || '' = 'delivered'${receivers.sql} limit 1), false)`
  const outcome = { any: undefined, delivered: got, undelivered: `not ${got}` }[filter.outcome]
  const fitting = fits(filter)
  return {
    sql: `select id, id as event_id, created_at from events
      where id > ?::uuid${sql} and ${HAS_CONTENT}${outcome === undefined ? '' : ` and ${outcome}`} and ${HAS_MEDIA}${fitting.sql}`,
    bindings: [
      afterId,
      ...bindings,
      ...(outcome === undefined ? [] : receivers.bindings),
      ...fitting.bindings,
    ],
  }
}

export type ReplayTo = 'endpoints' | 'url'

export interface Counted {
  count: number
  lastId: string | null
  /** The time of the oldest of them. */
  since: Date | null
}

/**
 * Counts the rows after a given one.
 *
 * @returns their number, at most `limit`, the last of them, and the time of the oldest
 */
export async function countReplayable(
  db: Database,
  filter: ReplayFilter,
  to: ReplayTo,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<Counted> {
  const { sql, bindings } =
    to === 'url' ? eventsOf(filter, afterId) : selecting('id, created_at', deliveriesOf(filter, afterId))
  const { rows } = await db.raw<{ rows: Counted[] }>(
    `select count(*)::integer as count, max(id::text) as "lastId", min(created_at) as since from (${sql} order by id limit ?) chosen`,
    [...bindings, limit],
  )
  return rows[0] ?? { count: 0, lastId: null, since: null }
}

interface Selection {
  sql: string
  bindings: string[]
}

function selecting(columns: string, { sql, bindings }: Selection): Selection {
  return { sql: `select ${columns} ${sql}`, bindings }
}

function spanOf({ from, until, lineId, accountId, types }: ReplayFilter): Selection {
  const { sql, bindings } = allOf([
    ...madeBetween('', { from, until }),
    ['line_id = ?::uuid', lineId],
    ['line_id is null and user_id = ?::uuid', accountId],
    ['type = any (?::text[])', types && `{${types.join()}}`],
  ])
  const ofLines = accountId === undefined ? ' and line_id is not null' : ''
  return { sql: sql + ofLines, bindings }
}

function receiversOf({ applicationId, endpointIds }: ReplayFilter): Selection {
  const { sql, bindings } = allOf([
    ['application_id = ?::uuid', applicationId ?? undefined],
    ['endpoint_id = any (?::uuid[])', endpointIds && `{${endpointIds.join()}}`],
  ])
  return { sql: applicationId === null ? ` and application_id is null${sql}` : sql, bindings }
}

/** Another URL's answer to an event. */
export interface ReplayedEvent {
  eventId: string
  sentAt: Date
  attemptCount: number
  responseStatus: number | null
  /** null if it was accepted. */
  failure: string | null
}

export async function insertReplayedEvents(
  trx: Database,
  taskId: string,
  events: readonly ReplayedEvent[],
): Promise<void> {
  if (events.length === 0) return
  await trx('replayed_events').insert(
    events.map(({ eventId, sentAt, attemptCount, responseStatus, failure }) => ({
      task_id: taskId,
      event_id: eventId,
      sent_at: sentAt,
      attempt_count: attemptCount,
      response_status: responseStatus,
      failure,
    })),
  )
}

/** A replay of an event to another URL. */
export interface EventReplay extends Omit<ReplayedEvent, 'eventId'> {
  taskId: string
  url: string
}

/** Lists replays to the user's other URLs, newest first; the caller has checked whose the event is. */
export async function listReplaysOfEvent(
  db: Database,
  userId: string,
  eventId: string,
  limit: number,
): Promise<EventReplay[]> {
  const { rows } = await db.raw<{ rows: EventReplay[] }>(
    `select r.task_id as "taskId", w.asked ->> 'url' as url, r.sent_at as "sentAt", r.attempt_count as "attemptCount",
       r.response_status as "responseStatus", r.failure
     from replayed_events r join tasks w on w.id = r.task_id
     where r.event_id = ?::uuid and w.user_id = ?::uuid order by r.task_id desc limit ?`,
    [eventId, userId, limit],
  )
  return rows
}
