import type { DeliveryStatus } from '../../../states.js'
import type { EventType } from '../../../event-types.js'
import { columnsOf } from '../../../shape.js'
import { HAS_CONTENT } from '../../people/forgotten.js'
import type { Database } from '../../connection.js'
import {
  allOf,
  idsBetween,
  linesThat,
  listOfLines,
  readList,
  statusIs,
  type Condition,
  type Page,
  type Sql,
} from '../../lists.js'
import {
  APPLICATION_DELIVERY_FIELDS,
  ATTEMPT_FIELDS,
  DELIVERY_FIELDS,
  type ApplicationDelivery,
  type Delivery,
  type DeliveryAttempt,
} from './delivery.js'
import { hasEvent, hasReceiver } from './receiver.js'

export interface DeliveryFilter {
  lineId?: string
  /** Only deliveries of these lines; if empty, of no line. */
  lineIds?: readonly string[]
  endpointId?: string
  type?: EventType
  status?: string
  /** The other party's number (E.164). */
  number?: string
  from?: Date
  until?: Date
}

const COLUMNS = columnsOf(DELIVERY_FIELDS)

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

/** Returns the user whom a delivery belongs to, for operators. */
export async function findDeliveryOwner(db: Database, id: string): Promise<string | undefined> {
  const row = await db('deliveries')
    .where({ id })
    .first<{ userId: string } | undefined>({ userId: 'user_id' })
  return row?.userId
}

/** Lists the user's deliveries, newest first. */
export function listDeliveries(
  db: Database,
  userId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<Delivery[]> {
  return readList(db, deliveriesOf(userId, filter, page))
}

/** Lists every user's deliveries, for operators. */
export function listAnyDeliveries(db: Database, filter: DeliveryFilter, page: Page): Promise<Delivery[]> {
  return readList(db, deliveriesOf(undefined, filter, page))
}

/**
 * Lists the notifications to a user, newest first: there are few of them among the deliveries that belong to no line.
 */
export function listAccountDeliveries(
  db: Database,
  userId: string,
  filter: Pick<DeliveryFilter, 'endpointId' | 'status'>,
  page: Page,
): Promise<Delivery[]> {
  const { sql, bindings } = allOf([
    ['d.user_id = ?::uuid', userId],
    ...idsBetween('d.id', page),
    ...thatFit(filter),
  ])
  return readList(db, {
    sql: `select ${COLUMNS} from deliveries d ${WITH_EVENT}
      where d.line_id is null${sql} order by d.id desc limit ?`,
    bindings: [...bindings, page.limit],
  })
}

export const deliveryStatusIs = (status: string | undefined, alias = 'd') =>
  statusIs(`${alias}.status`, status, [['exhausted', 'held']])

function thatFit({ status, endpointId, type, number }: DeliveryFilter): Condition[] {
  return [
    deliveryStatusIs(status),
    ['d.endpoint_id = ?::uuid', endpointId],
    ['d.type = ?', type],
    ['d.from_number = ?', number],
  ]
}

function deliveriesOf(userId: string | undefined, filter: DeliveryFilter, page: Page): Sql {
  const from = `deliveries d ${WITH_EVENT}`
  const source = { alias: 'd', from, columns: COLUMNS, where: thatFit(filter) }
  return listOfLines(linesThat(userId, filter), [source], page, { span: filter })
}

/** Lists the deliveries of one event, oldest first. */
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

/** Lists attempts in order of their numbers; the caller has checked whose deliveries they are. */
export async function listAttempts(db: Database, deliveryIds: readonly string[]): Promise<DeliveryAttempt[]> {
  return db('delivery_attempts')
    .whereIn('delivery_id', [...deliveryIds])
    .orderBy(['attempt_number', 'id'])
    .select<DeliveryAttempt[]>(db.raw(columnsOf(ATTEMPT_FIELDS)))
}

/**
 * Starts a new round of attempts for a delivery that is over or held.
 *
 * @returns undefined if it is under way, is not the user's, its receiver or its event is gone, or its person was forgotten
 */
export async function restartDelivery(
  db: Database,
  userId: string,
  id: string,
  /** The delivery must have one of these. */
  statuses: readonly DeliveryStatus[] = ['delivered', 'exhausted', 'held'],
): Promise<{ id: string; endpointId: string; generation: number } | undefined> {
  const { rows } = await db.raw<{ rows: { id: string; endpointId: string; generation: number }[] }>(
    `update deliveries set status = 'pending', due_at = clock_timestamp(), round_attempt_count = 0, crash_count = 0, lost_count = 0,
       job_generation = job_generation + 1, delivered_at = null
     where user_id = ? and id = ?::uuid and status = any (?) and ${HAS_CONTENT} and ${hasReceiver('deliveries')}
       and ${hasEvent('deliveries')}
     returning id, endpoint_id as "endpointId", job_generation as generation`,
    [userId, id, [...statuses]],
  )
  return rows[0]
}

const APPLICATION_COLUMNS = columnsOf(APPLICATION_DELIVERY_FIELDS)

/** Lists the newest first; the caller has checked whose application it is. */
export function listDeliveriesOfApplication(
  db: Database,
  applicationId: string,
  page: Page,
): Promise<ApplicationDelivery[]> {
  const { sql, bindings } = allOf(idsBetween('d.id', page))
  return readList(db, {
    sql: `select ${APPLICATION_COLUMNS} from deliveries d
      where application_id = ? and application_id is not null${sql} order by d.id desc limit ?`,
    bindings: [applicationId, ...bindings, page.limit],
  })
}
