import { MESSAGE_EVENT_TYPES, type EventType, type OptInEventType } from '../../event-types.js'
import type { Database } from '../connection.js'
import { DELIVERY_FIELDS, type Delivery } from '../endpoints/deliveries/delivery.js'
import { MESSAGE_FIELDS, type Direction, type Message, type MessageType } from './message.js'
import { CONTACT_NUMBER, messageStatusIs } from './reading.js'
import {
  allOf,
  idsBetween,
  isGiven,
  linesThat,
  listOfLines,
  LOOKED_THROUGH,
  madeBetween,
  readList,
  type Condition,
  type Page,
  type Sql,
} from '../lists.js'
import { deliveryStatusIs } from '../endpoints/deliveries/reading.js'
import { columnsOf } from '../../shape.js'
import { FIRST_ID } from '../../ids.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../states.js'

export interface ActivityFilter {
  lineId?: string
  direction?: Direction
  type?: MessageType
  /** The type of the deliveries' event, whichever message it is about. */
  eventType?: EventType
  /** The state of the message, or of one of its deliveries; some states exist for both. */
  status?: string
  /**
   * The reason why the message, or the last attempt of one of its deliveries, failed; for a carrier's words, the
   * beginning is enough.
   */
  reason?: string
  /** The other party's number (E.164). */
  number?: string
  /** Digits in the other party's number. */
  numberPart?: string
  /** A part of the text, ignoring case. */
  text?: string
  from?: Date
  until?: Date
}

/** A message, or a delivery of an event without a message. */
interface ActivityKey {
  /** Its place in the list, and the cursor of its page. */
  id: string
  messageId: string | null
  deliveryId: string | null
}

export interface ActivityKeys {
  keys: ActivityKey[]
  /** Rows older than this were not searched; null if all rows that could match were searched. */
  lookedBackTo: string | null
}

/** One of the lists that make up the activity: rows of one kind, read for each line from its index. */
interface Branch {
  alias: 'm' | 'd'
  table: string
  /** The joins for its other columns. */
  join: string
  columns: string
  /** Conditions that an index answers. */
  indexed: Condition[]
  /** Conditions for which each row has to be read. */
  looked: Condition[]
}

/**
 * Finds the user's activity that matches the filter, newest first. A message with several matching deliveries is
 * listed once.
 */
export async function findActivityKeys(
  db: Database,
  userId: string,
  filter: ActivityFilter,
  page: Page,
): Promise<ActivityKeys> {
  const branches = branchesOf(filter)
  const lookedBackTo = await findEnd(db, userId, filter, page, branches)
  const extent: Extent = { isNotBefore: (id) => [`${id} >= ?::uuid`, lookedBackTo ?? undefined] }
  const keys = await readList<ActivityKey>(db, listOf(userId, filter, page, branches, extent))
  return { keys, lookedBackTo }
}

export interface ActivityCount {
  count: number
  /** True if there may be more: of some line, only the newest rows were searched. */
  isInPart: boolean
}

/**
 * Counts them up to this limit. Each line is searched through its own share of rows: unlike a page, a count has no order,
 * so a busy line need not hide the others.
 */
export async function countActivity(
  db: Database,
  userId: string,
  filter: ActivityFilter,
  max: number,
): Promise<ActivityCount> {
  const branches = branchesOf(filter)
  const page = { limit: max }
  const ends = endsOf(userId, filter, page, branches)
  const list = listOf(userId, filter, page, branches, ends && OF_ENDS)
  const count = `select (select count(*) from (${list.sql}) k)::integer as count`
  const { rows } = await db.raw<{ rows: [ActivityCount] }>(
    ends === undefined
      ? `${count}, false as "isInPart"`
      : `with ends as materialized (${ends.sql}) ${count}, exists (select from ends) as "isInPart"`,
    [...(ends?.bindings ?? []), ...list.bindings],
  )
  return rows[0]
}

/** The caller has checked whose they are. */
export async function findActivityMessages(db: Database, ids: readonly string[]): Promise<Message[]> {
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select ${columnsOf(MESSAGE_FIELDS)} from messages m where m.id = any (?::uuid[])`,
    [[...ids]],
  )
  return rows
}

/**
 * Returns the deliveries with these ids, and those of all these messages' events, oldest first; the caller has
 * checked whose they are. Each is looked up by itself: before the tables are analyzed, Postgres would rather read
 * them whole.
 */
export async function findActivityDeliveries(
  db: Database,
  { messageIds, deliveryIds }: { messageIds: readonly string[]; deliveryIds: readonly string[] },
): Promise<Delivery[]> {
  const { rows } = await db.raw<{ rows: Delivery[] }>(
    `select ${columnsOf(DELIVERY_FIELDS)}
     from (
       select v.id as event_id, d.id from unnest(?::uuid[]) w (message_id)
       cross join lateral (select id from events where message_id = w.message_id offset 0) v
       cross join lateral (select id from deliveries where event_id = v.id offset 0) d
       union all select d.event_id, d.id from unnest(?::uuid[]) w (id)
       cross join lateral (select id, event_id from deliveries where id = w.id offset 0) d
     ) found
     cross join lateral (select * from deliveries where id = found.id offset 0) d
     cross join lateral (select * from events where id = found.event_id offset 0) v
     join endpoints e on e.id = d.endpoint_id
     left join applications a on a.id = d.application_id
     order by d.id`,
    [[...messageIds], [...deliveryIds]],
  )
  return rows
}

function branchesOf(filter: ActivityFilter): Branch[] {
  const { eventType, status, reason, direction } = filter
  const isOf = (statuses: readonly string[]) => status === undefined || statuses.includes(status)
  const isOfDeliveries = eventType !== undefined || reason !== undefined || status !== undefined
  const messages = eventType === undefined && isOf(MESSAGE_STATUSES) ? messagesThat(filter) : undefined
  const branches = messages === undefined ? [] : [messages]
  // A sent text is `delivered` because of its receipt, not because an endpoint got the event about it.
  const isOfTexts = direction === 'outbound' && status !== undefined && reason === undefined
  if (messages !== undefined && isOfTexts) return branches
  if (isOfDeliveries && isOf(DELIVERY_STATUSES)) branches.push(deliveriesThat(filter, messages))
  if (!isOfDeliveries && isOfEveryMessage(filter)) branches.push(...WITHOUT_MESSAGE.map(tellingOfNoMessage))
  return branches
}

/** True if the filter has no condition about messages, which an event without one could not meet. */
function isOfEveryMessage({ direction, type, number, numberPart, text }: ActivityFilter): boolean {
  return [direction, type, number, numberPart, text].every((each) => each === undefined)
}

function messagesThat(filter: ActivityFilter): Branch {
  const { type, status, reason, number } = filter
  const isRare = ['scheduled', 'queued', 'sending', 'failed', 'unknown'].includes(status ?? '')
  const rareType = type === 'text' ? undefined : type
  return {
    alias: 'm',
    table: 'messages m',
    join: '',
    columns: 'm.id, m.id as message_id, null::uuid as delivery_id',
    indexed: [
      ...(isRare ? [messageStatusIs(status)] : []),
      [`m.status in ('failed', 'unknown') and starts_with(m.error, ?)`, reason],
      [`${CONTACT_NUMBER} = ?`, number],
      [`m.type <> 'text' and m.type || '' = ?`, rareType],
    ],
    looked: [...(isRare ? [] : [messageStatusIs(status)]), ...ofMessage(filter)],
  }
}

/** The conditions on `messages m` that have no index. */
function ofMessage({ direction, type, numberPart, text }: ActivityFilter): Condition[] {
  return [
    ['m.direction = ?', direction],
    [`m.type || '' = ?`, type === 'text' ? type : undefined],
    [`position(? in ${CONTACT_NUMBER}) > 0`, numberPart],
    ['has_words(m.text, ?)', text],
  ]
}

/**
 * If several deliveries of one message match, the newest represents it.
 *
 * @param messages the messages that are in the list already
 */
function deliveriesThat(filter: ActivityFilter, messages: Branch | undefined): Branch {
  const { type, eventType, status, reason, number } = filter
  const isRare = status === 'exhausted' || status === 'held'
  const ofDelivery = (d: string): { indexed: Condition[]; looked: Condition[] } => ({
    indexed: [
      ...(isRare ? [deliveryStatusIs(status, d)] : []),
      [`${d}.last_failure = ?`, reason],
      ...(eventType === undefined ? [] : [eventTypeIs(d, eventType)]),
      [`${d}.from_number = ?`, number],
    ],
    looked: isRare ? [] : [deliveryStatusIs(status, d)],
  })
  const { indexed, looked } = ofDelivery('d')
  const newer = [
    ...Object.values(ofDelivery('newer')).flat(),
    ...madeBetween('newer.', { until: filter.until }),
  ]
  const rest: Condition[] = [...ofMessage(filter), ['m.type = ?', type === 'text' ? undefined : type]]
  const isMessage = messages === undefined ? [] : [...messages.indexed, ...messages.looked]
  return {
    alias: 'd',
    table: 'deliveries d',
    join: ' cross join lateral (select message_id from events where id = d.event_id limit 1) v',
    columns: 'd.id, v.message_id, d.id as delivery_id',
    indexed,
    looked: [
      ...looked,
      inside(
        newer,
        (sql) => `not exists (
        select from events e join deliveries newer on newer.event_id = e.id
        where e.message_id = v.message_id and newer.id > d.id${sql})`,
      ),
      ...(rest.some(isGiven)
        ? [inside(rest, (sql) => `exists (select from messages m where m.id = v.message_id${sql})`)]
        : []),
      ...(messages === undefined
        ? []
        : [
            inside(isMessage, (sql) => `not exists (select from messages m where m.id = v.message_id${sql})`),
          ]),
    ],
  }
}

/** These types share one index, in the order of ids for each. */
const WITHOUT_MESSAGE = ['missedCall', 'lineDisconnected'] as const satisfies OptInEventType[]

function tellingOfNoMessage(type: OptInEventType): Branch {
  return {
    alias: 'd',
    table: 'deliveries d',
    join: '',
    columns: 'd.id, null::uuid as message_id, d.id as delivery_id',
    indexed: [eventTypeIs('d', type)],
    looked: [],
  }
}

/** Types that not every message has are in an index, whose condition is repeated here. */
function eventTypeIs(d: string, type: EventType): Condition {
  const isOfEvery = MESSAGE_EVENT_TYPES.some((each) => each === type)
  return isOfEvery ? [`${d}.type || '' = ?`, type] : [`${d}.type = '${type}'`]
}

/**
 * Finds where searching through single rows ends: at the newest id by which some line has had its share of rows. A
 * search in a span of ids needs no other bound, and no line is searched farther back than the others.
 */
async function findEnd(
  db: Database,
  userId: string,
  filter: ActivityFilter,
  page: Page,
  branches: readonly Branch[],
): Promise<string | null> {
  const ends = endsOf(userId, filter, page, branches)
  if (ends === undefined) return null
  const { rows } = await db.raw<{ rows: [{ id: string | null }] }>(
    `select max(id::text)::uuid as id from (${ends.sql}) e`,
    ends.bindings,
  )
  return rows[0].id
}

/**
 * Selects the lines that have more than their share of rows, each with the id of the last one; undefined if no row is
 * searched without an index.
 */
function endsOf(
  userId: string,
  filter: ActivityFilter,
  page: Page,
  branches: readonly Branch[],
): Sql | undefined {
  const slow = branches.filter(({ looked }) => looked.some(isGiven))
  if (slow.length === 0) return undefined
  const parts = slow.map(({ alias, table, indexed }) => {
    const { sql, bindings } = allOf([
      ...idsBetween(`${alias}.id`, { ...page, ...spanOf(filter) }),
      ...indexed,
    ])
    return {
      sql: `(select ${alias}.id from ${table} where ${alias}.line_id = l.id${sql}
        order by ${alias}.id desc offset ${LOOKED_THROUGH} - 1 limit 1)`,
      bindings,
    }
  })
  const line = allOf(linesThat(userId, filter))
  return {
    sql: `select l.id as line_id, max(k.id::text)::uuid as id
     from lines l
     cross join lateral (${parts.map(({ sql }) => sql).join(' union all ')}) k (id)
     where true${line.sql} group by l.id having count(k.id) > 0`,
    bindings: [...parts.flatMap(({ bindings }) => bindings), ...line.bindings],
  }
}

/** How far back a list is searched, of which `join` may give the ids. */
interface Extent {
  isNotBefore: (id: string) => Condition
  join?: string
}

/** Each line is searched to its own end. */
const OF_ENDS: Extent = {
  isNotBefore: (id) => [`${id} >= coalesce(ends.id, '${FIRST_ID}')`],
  join: ' left join ends on ends.line_id = l.id',
}

function listOf(
  userId: string,
  filter: ActivityFilter,
  page: Page,
  branches: readonly Branch[],
  extent?: Extent,
): Sql {
  const sources = branches.map(({ alias, table, join, columns, indexed, looked }) => {
    const isNotBefore = extent === undefined ? [] : [extent.isNotBefore(`${alias}.id`)]
    return { alias, from: table + join, columns, where: [...isNotBefore, ...indexed, ...looked] }
  })
  const join = extent?.join ?? ''
  const columns = 'found.id, found.message_id as "messageId", found.delivery_id as "deliveryId"'
  return listOfLines(linesThat(userId, filter), sources, page, { span: spanOf(filter), columns, join })
}

function spanOf({ from, until }: ActivityFilter) {
  return { from, until }
}

/** Combines all conditions into one, inside what `wrap` makes of them. */
function inside(conditions: readonly Condition[], wrap: (sql: string) => string): Condition {
  const { sql, bindings } = allOf(conditions)
  return [wrap(sql), ...bindings]
}
