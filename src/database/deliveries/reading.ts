import type { DeliveryStatus } from '../../states.js'
import type { Database } from '../connection.js'
import type { EventType } from '../events.js'
import { conditions, idsBetween, statusIs, type Page } from '../pages.js'

/** A delivery as its owner sees it, with what its event says. */
export interface Delivery {
  id: string
  lineId: string
  eventId: string
  messageId: string | null
  endpointId: string
  /** The application whose endpoint it is; null: the line's own. */
  applicationId: string | null
  applicationName: string | null
  /** Where the endpoint is now; of another user's application only its origin. */
  url: string
  /** The endpoint is another user's: what it answers is for nobody else. */
  isForeign: boolean
  type: EventType
  fromNumber: string
  toNumber: string
  status: DeliveryStatus
  attemptCount: number
  /** A failure's name; see `safe-fetch/failures.ts`, or `http_…`. */
  lastFailure: string | null
  createdAt: Date
  /** While pending: when it is tried next. */
  dueAt: Date
  deliveredAt: Date | null
}

export interface DeliveryAttempt {
  deliveryId: string
  attemptNumber: number
  startedAt: Date
  durationMs: number
  responseStatus: number | null
  responseExcerpt: string | null
  failure: string | null
  nextAttemptAt: Date | null
}

export interface DeliveryFilter {
  lineId?: string
  type?: EventType
  status?: string
  /** E.164: who is at the other end. */
  number?: string
  from?: Date
  until?: Date
}

const COLUMNS = `d.id, d.line_id as "lineId", d.event_id as "eventId", v.message_id as "messageId",
  d.endpoint_id as "endpointId", d.application_id as "applicationId", a.name as "applicationName",
  case when e.user_id = d.user_id then e.url else substring(e.url from '^[^:]+://[^/\\?#]+') end as url,
  e.user_id <> d.user_id as "isForeign", d.type, d.from_number as "fromNumber", v.to_number as "toNumber", d.status,
  d.attempt_count as "attemptCount", d.last_failure as "lastFailure", d.created_at as "createdAt",
  d.due_at as "dueAt", d.delivered_at as "deliveredAt"`

const WITH_EVENT = `cross join lateral (select * from events where id = d.event_id limit 1) v
  join endpoints e on e.id = d.endpoint_id
  left join applications a on a.id = d.application_id`

export async function findDelivery(db: Database, userId: string, id: string): Promise<Delivery | undefined> {
  const { rows } = await db.raw<{ rows: Delivery[] }>(
    `select ${COLUMNS} from deliveries d ${WITH_EVENT} where d.user_id = ? and d.id = ?::uuid`,
    [userId, id],
  )
  return rows[0]
}

/** The user's deliveries, newest first; line by line from the index, as `listMessages` does. */
export async function listDeliveries(
  db: Database,
  userId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<Delivery[]> {
  const line = conditions([['l.id = ?::uuid', filter.lineId]])
  const span = idsBetween('d.id', page, filter)
  const given = conditions([
    statusIs('d.status', filter.status, ['exhausted', 'held']),
    ['d.type = ?', filter.type],
    ['d.from_number = ?', filter.number],
  ])
  const { rows } = await db.raw<{ rows: Delivery[] }>(
    `select found.* from lines l
     cross join lateral (
       select ${COLUMNS} from deliveries d ${WITH_EVENT} where d.line_id = l.id${span.sql}${given.sql}
       order by d.id desc limit ?
     ) found
     where l.user_id = ?${line.sql}
     order by found.id desc limit ?`,
    [...span.bindings, ...given.bindings, page.limit, userId, ...line.bindings, page.limit],
  )
  return rows
}

/** Of one event, oldest first. */
export async function listDeliveriesOfEvent(
  db: Database,
  userId: string,
  eventId: string,
): Promise<Delivery[]> {
  const { rows } = await db.raw<{ rows: Delivery[] }>(
    `select ${COLUMNS} from deliveries d ${WITH_EVENT} where d.event_id = ?::uuid and d.user_id = ? order by d.id`,
    [eventId, userId],
  )
  return rows
}

/** In order of their numbers; the caller has looked whose deliveries they are. */
export async function listAttempts(db: Database, deliveryIds: readonly string[]): Promise<DeliveryAttempt[]> {
  return db('delivery_attempts')
    .whereIn('delivery_id', [...deliveryIds])
    .orderBy(['attempt_number', 'id'])
    .select<DeliveryAttempt[]>({
      deliveryId: 'delivery_id',
      attemptNumber: 'attempt_number',
      startedAt: 'started_at',
      durationMs: 'duration_ms',
      responseStatus: 'response_status',
      responseExcerpt: 'response_excerpt',
      failure: 'failure',
      nextAttemptAt: 'next_attempt_at',
    })
}

/**
 * A new round of attempts for a delivery that is over or held.
 *
 * @returns undefined when it is under way, or is not the user's
 */
export async function restartDelivery(
  db: Database,
  userId: string,
  id: string,
): Promise<{ id: string; endpointId: string; generation: number } | undefined> {
  const { rows } = await db.raw<{ rows: { id: string; endpointId: string; generation: number }[] }>(
    `update deliveries set status = 'pending', due_at = clock_timestamp(), round_attempt_count = 0, crash_count = 0, lost_count = 0,
       job_generation = job_generation + 1, delivered_at = null
     where user_id = ? and id = ?::uuid and status in ('delivered', 'exhausted', 'held')
     returning id, endpoint_id as "endpointId", job_generation as generation`,
    [userId, id],
  )
  return rows[0]
}
