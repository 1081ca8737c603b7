import type { EventType } from '../../event-types.js'
import type { DeliveryStatus, MessageStatus } from '../../states.js'
import type { Database } from '../connection.js'
import type { Direction } from '../messages/message.js'

/** The fields of a message that show its progress, and nothing of its text. */
export interface TailedMessage {
  id: string
  lineId: string
  direction: Direction
  /** The other party's number. */
  number: string
  status: MessageStatus
  error: string | null
  createdAt: Date
  claimedAt: Date | null
  sentAt: Date | null
  receiptAt: Date | null
}

export interface TailedDelivery {
  id: string
  lineId: string
  type: EventType
  number: string
  status: DeliveryStatus
  lastFailure: string | null
  createdAt: Date
}

/** An attempt to deliver, with the delivery's current state. */
export interface TailedAttempt {
  id: string
  deliveryId: string
  lineId: string
  type: EventType
  number: string
  attemptNumber: number
  /** null if it succeeded. */
  failure: string | null
  nextAttemptAt: Date | null
  deliveryStatus: DeliveryStatus
  endedAt: Date
}

/**
 * The rows from an id on, newest first; of one line if it is given, otherwise of all. Rows that are not about a line
 * are left out.
 */
export interface Span {
  fromId: string
  lineId: string | undefined
  limit: number
}

const MESSAGE = `m.id, m.line_id as "lineId", m.direction, m.status, m.error, m.created_at as "createdAt",
  case m.direction when 'outbound' then m.to_number else m.from_number end as number,
  m.claimed_at as "claimedAt", m.sent_at as "sentAt", m.receipt_at as "receiptAt"`

export async function listNewMessages(db: Database, span: Span): Promise<TailedMessage[]> {
  const { sql, bindings } = ofSpan('m', span)
  const { rows } = await db.raw<{ rows: TailedMessage[] }>(
    `select ${MESSAGE} from messages m ${sql}`,
    bindings,
  )
  return rows
}

/** Reads messages in their current state; one that is gone is left out. */
export async function listMessagesById(db: Database, ids: readonly string[]): Promise<TailedMessage[]> {
  const { rows } = await db.raw<{ rows: TailedMessage[] }>(
    // This makes it one look-up for each, whatever the planner believes about a table that has just filled.
    `select m.* from unnest(?::uuid[]) as asked (id)
     cross join lateral (select ${MESSAGE} from messages m where m.id = asked.id limit 1) m`,
    [[...ids]],
  )
  return rows
}

export async function listNewDeliveries(db: Database, span: Span): Promise<TailedDelivery[]> {
  const { sql, bindings } = ofSpan('d', span)
  const { rows } = await db.raw<{ rows: TailedDelivery[] }>(
    `select d.id, d.line_id as "lineId", d.type, d.from_number as number, d.status, d.last_failure as "lastFailure",
       d.created_at as "createdAt"
     from deliveries d ${sql}`,
    bindings,
  )
  return rows
}

/**
 * An attempt refers to its line only through its delivery, so all of them are read, and those of other lines left
 * out.
 */
export async function listNewAttempts(
  db: Database,
  { fromId, lineId, limit }: Span,
): Promise<TailedAttempt[]> {
  const { rows } = await db.raw<{ rows: TailedAttempt[] }>(
    `select t.id, d.id as "deliveryId", d.line_id as "lineId", d.type, d.from_number as number,
       t.attempt_number as "attemptNumber", t.failure, t.next_attempt_at as "nextAttemptAt",
       d.status as "deliveryStatus", t.started_at + make_interval(secs => t.duration_ms / 1000.0) as "endedAt"
     from (select * from delivery_attempts where id >= ?::uuid order by id desc limit ?) t
     cross join lateral (select * from deliveries where id = t.delivery_id limit 1) d
     where d.line_id is not null and (?::uuid is null or d.line_id = ?::uuid)
     order by t.id desc`,
    [fromId, limit, lineId ?? null, lineId ?? null],
  )
  return rows
}

/**
 * A reader that looks for new rows by their ids begins this long before its last look: a row may be committed this long
 * after its id was made, or its maker's clock may be this far behind.
 */
export const OVERLAP_MS = 10_000

export async function readNow(db: Database): Promise<Date> {
  const { rows } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now')
  return rows[0]?.now ?? new Date()
}

function ofSpan(
  table: string,
  { fromId, lineId, limit }: Span,
): { sql: string; bindings: (string | number)[] } {
  const line = lineId === undefined ? ` and ${table}.line_id is not null` : ` and ${table}.line_id = ?::uuid`
  return {
    sql: `where ${table}.id >= ?::uuid${line} order by ${table}.id desc limit ?`,
    bindings: [fromId, ...(lineId === undefined ? [] : [lineId]), limit],
  }
}
