import { MESSAGE_EVENT_TYPES, type EventType } from '../../event-types.js'
import type { Database } from '../connection.js'
import { DELIVERY_FIELDS, type Delivery } from '../endpoints/deliveries/delivery.js'
import { MESSAGE_FIELDS, type Direction, type Message, type MessageType } from './message.js'
import { CONTACT_NUMBER } from './reading.js'
import { idsBetween, LOOKED_THROUGH, statusIs, type Page } from '../pages.js'
import { columnsOf } from '../../shape.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../states.js'

export interface ActivityFilter {
  lineId?: string
  direction?: Direction
  type?: MessageType
  /** Of deliveries, whichever message they tell of. */
  eventType?: EventType
  /** Of the message, or of one of its deliveries; some states are of both. */
  status?: string
  /** Why the message, or the last attempt of one of its deliveries, failed; a carrier's own words may be their beginning. */
  reason?: string
  /** E.164: who is at the other end. */
  number?: string
  /** Digits in the number at the other end. */
  numberPart?: string
  /** A part of the text, in capitals or not. */
  text?: string
  from?: Date
  until?: Date
}

/** A message, or a delivery of an event that tells of none. */
export interface ActivityKey {
  /** Its place in the list, and the cursor of its page. */
  id: string
  messageId: string | null
  deliveryId: string | null
}

export interface ActivityKeys {
  keys: ActivityKey[]
  /** All that is older was not looked through; null: everything was that could fit. */
  lookedBackTo: string | null
}

/** A condition, with the values of its question marks. */
type Condition = readonly [sql: string, ...bindings: string[]]

/** One of the lists of which the activity is made: rows of one kind, each line's read from its index. */
interface Branch {
  /** The table's alias. */
  alias: 'm' | 'd'
  table: string
  /** What else its columns are of. */
  join: string
  columns: string
  /** Answered by an index. */
  indexed: Condition[]
  /** Each row has to be looked at. */
  looked: Condition[]
}

/** A user's activity, newest first, which fits the filter. A message with several deliveries that fit is there once. */
export async function findActivityKeys(
  db: Database,
  userId: string,
  filter: ActivityFilter,
  page: Page,
): Promise<ActivityKeys> {
  const branches = branchesOf(filter)
  const lookedBackTo = await findEnd(db, userId, filter, page, branches)
  const { sql, bindings } = listOf(userId, filter, page, branches, lookedBackTo)
  const { rows } = await db.raw<{ rows: ActivityKey[] }>(sql, bindings)
  return { keys: rows, lookedBackTo }
}

/** How many there are, at most so many. */
export async function countActivity(
  db: Database,
  userId: string,
  filter: ActivityFilter,
  max: number,
): Promise<number> {
  const branches = branchesOf(filter)
  const page = { limit: max }
  const lookedBackTo = await findEnd(db, userId, filter, page, branches)
  const { sql, bindings } = listOf(userId, filter, page, branches, lookedBackTo)
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::integer as count from (${sql}) k`,
    bindings,
  )
  return rows[0].count
}

/** The caller has looked whose they are. */
export async function findActivityMessages(db: Database, ids: readonly string[]): Promise<Message[]> {
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select ${columnsOf(MESSAGE_FIELDS)} from messages m where m.id = any (?::uuid[])`,
    [[...ids]],
  )
  return rows
}

/**
 * Those with these ids, and all of these messages' events, oldest first; the caller has looked whose they are. Each is looked
 * up by itself: before the tables are analyzed, Postgres would rather read them whole.
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
  const { eventType, status, reason } = filter
  const isOf = (statuses: readonly string[]) => status === undefined || statuses.includes(status)
  const isOfDeliveries = eventType !== undefined || reason !== undefined || status !== undefined
  const messages = eventType === undefined && isOf(MESSAGE_STATUSES) ? messagesThat(filter) : undefined
  const branches = messages === undefined ? [] : [messages]
  if (isOfDeliveries && isOf(DELIVERY_STATUSES)) branches.push(deliveriesThat(filter, messages))
  if (!isOfDeliveries && isOfEveryMessage(filter)) branches.push(tellingOfNoMessage())
  return branches
}

/** Nothing is asked of messages that an event without one could not fit. */
function isOfEveryMessage({ direction, type, number, numberPart, text }: ActivityFilter): boolean {
  return [direction, type, number, numberPart, text].every((each) => each === undefined)
}

function messagesThat(filter: ActivityFilter): Branch {
  const { type, status, reason, number } = filter
  const [statusSql, statusBinding] = statusIs('m.status', status, [
    ['scheduled'],
    ['queued', 'sending'],
    ['failed', 'unknown'],
  ])
  const isRare = ['scheduled', 'queued', 'sending', 'failed', 'unknown'].includes(status ?? '')
  const statusCondition: Condition[] = statusBinding === undefined ? [] : [[statusSql, statusBinding]]
  return {
    alias: 'm',
    table: 'messages m',
    join: '',
    columns: 'm.id, m.id as message_id, null::uuid as delivery_id',
    indexed: [
      ...(isRare ? statusCondition : []),
      ...(reason === undefined
        ? []
        : [[`m.status in ('failed', 'unknown') and starts_with(m.error, ?)`, reason] as const]),
      ...(number === undefined ? [] : [[`${CONTACT_NUMBER} = ?`, number] as const]),
      ...(type === undefined || type === 'text'
        ? []
        : [[`m.type <> 'text' and m.type || '' = ?`, type] as const]),
    ],
    looked: [...(isRare ? [] : statusCondition), ...ofMessage(filter)],
  }
}

/** What has no index, of `messages m`. */
function ofMessage({ direction, type, numberPart, text }: ActivityFilter): Condition[] {
  return [
    ...(direction === undefined ? [] : [['m.direction = ?', direction] as const]),
    ...(type === 'text' ? [[`m.type || '' = ?`, type] as const] : []),
    ...(numberPart === undefined ? [] : [[`position(? in ${CONTACT_NUMBER}) > 0`, numberPart] as const]),
    ...(text === undefined ? [] : [['position(lower(?) in lower(m.text)) > 0', text] as const]),
  ]
}

/**
 * Of several deliveries of one message the newest stands for it.
 *
 * @param messages that are in the list already
 */
function deliveriesThat(filter: ActivityFilter, messages: Branch | undefined): Branch {
  const { type, eventType, status, reason, number } = filter
  const isRare = status === 'exhausted' || status === 'held'
  const ofDelivery = (d: string): { indexed: Condition[]; looked: Condition[] } => {
    const [sql, binding] = statusIs(`${d}.status`, status, [['exhausted', 'held']])
    const statusCondition: Condition[] = binding === undefined ? [] : [[sql, binding]]
    return {
      indexed: [
        ...(isRare ? statusCondition : []),
        ...(reason === undefined ? [] : [[`${d}.last_failure = ?`, reason] as const]),
        ...(eventType === undefined ? [] : [eventTypeIs(d, eventType)]),
        ...(number === undefined ? [] : [[`${d}.from_number = ?`, number] as const]),
      ],
      looked: isRare ? [] : statusCondition,
    }
  }
  const { indexed, looked } = ofDelivery('d')
  const newer: Condition[] = Object.values(ofDelivery('newer')).flat()
  if (filter.until !== undefined) {
    newer.push(['newer.id < lowest_id_at(?::timestamptz)', filter.until.toISOString()])
  }
  const rest = [
    ...ofMessage(filter),
    ...(type === undefined || type === 'text' ? [] : [['m.type = ?', type] as const]),
  ]
  const isMessage = messages === undefined ? [] : [...messages.indexed, ...messages.looked]
  return {
    alias: 'd',
    table: 'deliveries d',
    join: ' cross join lateral (select message_id from events where id = d.event_id limit 1) v',
    columns: 'd.id, v.message_id, d.id as delivery_id',
    indexed,
    looked: [
      ...looked,
      allOf(
        newer,
        (sql) => `not exists (
        select from events e join deliveries newer on newer.event_id = e.id
        where e.message_id = v.message_id and newer.id > d.id${sql})`,
      ),
      ...(rest.length === 0
        ? []
        : [allOf(rest, (sql) => `exists (select from messages m where m.id = v.message_id${sql})`)]),
      ...(messages === undefined
        ? []
        : [allOf(isMessage, (sql) => `not exists (select from messages m where m.id = v.message_id${sql})`)]),
    ],
  }
}

function tellingOfNoMessage(): Branch {
  return {
    alias: 'd',
    table: 'deliveries d',
    join: '',
    columns: 'd.id, null::uuid as message_id, d.id as delivery_id',
    indexed: [[`d.type = 'lineDisconnected'`]],
    looked: [],
  }
}

/** Those that are not of every message have an index, whose condition names them. */
function eventTypeIs(d: string, type: EventType): Condition {
  const isOfEvery = MESSAGE_EVENT_TYPES.some((each) => each === type)
  return isOfEvery ? [`${d}.type || '' = ?`, type] : [`${d}.type = '${type}'`]
}

/**
 * Where looking through rows one by one ends: the newest id of which some line has had its share of rows. What is looked
 * for in a span of ids needs no other bound, and no line is looked through further than the others.
 */
async function findEnd(
  db: Database,
  userId: string,
  filter: ActivityFilter,
  page: Page,
  branches: readonly Branch[],
): Promise<string | null> {
  const slow = branches.filter(({ looked }) => looked.length > 0)
  if (slow.length === 0) return null
  const parts = slow.map(({ alias, table, indexed }) => {
    const span = idsBetween(`${alias}.id`, page, filter)
    const given = allOf(indexed, (sql) => sql)
    return {
      sql: `(select ${alias}.id from ${table} where ${alias}.line_id = l.id${span.sql}${given[0]}
        order by ${alias}.id desc offset ${LOOKED_THROUGH} - 1 limit 1)`,
      bindings: [...span.bindings, ...given.slice(1)],
    }
  })
  const line = allOf(linesOf(userId, filter), (sql) => sql)
  const { rows } = await db.raw<{ rows: [{ id: string | null }] }>(
    `select max(k.id::text)::uuid as id
     from lines l
     cross join lateral (${parts.map(({ sql }) => sql).join(' union all ')}) k (id)
     where true${line[0]}`,
    [...parts.flatMap(({ bindings }) => bindings), ...line.slice(1)],
  )
  return rows[0].id
}

function listOf(
  userId: string,
  filter: ActivityFilter,
  page: Page,
  branches: readonly Branch[],
  lookedBackTo: string | null,
): { sql: string; bindings: (string | number)[] } {
  const parts = branches.map(({ alias, table, join, columns, indexed, looked }) => {
    const span = idsBetween(`${alias}.id`, page, filter)
    const end: Condition[] = lookedBackTo === null ? [] : [[`${alias}.id >= ?::uuid`, lookedBackTo]]
    const [sql, ...bindings] = allOf([...end, ...indexed, ...looked], (each) => each)
    return {
      sql: `(select ${columns} from ${table}${join} where ${alias}.line_id = l.id${span.sql}${sql}
        order by ${alias}.id desc limit ?)`,
      bindings: [...span.bindings, ...bindings, page.limit],
    }
  })
  const [line, ...lineBindings] = allOf(linesOf(userId, filter), (sql) => sql)
  return {
    sql: `select k.id, k.message_id as "messageId", k.delivery_id as "deliveryId" from lines l
     cross join lateral (${parts.map(({ sql }) => sql).join(' union all ')}) k
     where true${line} order by k.id desc limit ?`,
    bindings: [...parts.flatMap(({ bindings }) => bindings), ...lineBindings, page.limit],
  }
}

function linesOf(userId: string, { lineId }: ActivityFilter): Condition[] {
  const own: Condition = ['l.user_id = ?::uuid', userId]
  return lineId === undefined ? [own] : [own, ['l.id = ?::uuid', lineId]]
}

/** `and …` for each, in what `wrap` makes of them. */
function allOf(conditions: readonly Condition[], wrap: (sql: string) => string): Condition {
  return [
    wrap(conditions.map(([sql]) => ` and ${sql}`).join('')),
    ...conditions.flatMap(([, ...bindings]) => bindings),
  ]
}
