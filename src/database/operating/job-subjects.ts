import type { DeliveryStatus, MediaStatus, MessageStatus } from '../../states.js'
import type { Database } from '../connection.js'
import { CONTACT_NUMBER } from '../messages/reading.js'

/** The subject of a queue's job, without texts or whole numbers. */
interface JobSubject {
  /** The id that the job carries. */
  id: string
  lineName: string
}

interface MessageSubject extends JobSubject {
  status: MessageStatus
  /** The last two digits of the other party's number. */
  numberEnd: string
}

/** A line without a name has its number as its name. */
const LINE_NAME = `case when l.name = l.number then '…' || right(l.number, 2) else l.name end`

export async function findMessageSubjects(db: Database, ids: readonly string[]): Promise<MessageSubject[]> {
  const { rows } = await db.raw<{ rows: MessageSubject[] }>(
    `select m.id, m.status, right(${CONTACT_NUMBER}, 2) as "numberEnd", ${LINE_NAME} as "lineName"
     from messages m join lines l on l.id = m.line_id where m.id = any (?::uuid[])`,
    [`{${ids.join()}}`],
  )
  return rows
}

interface MediaSubject extends JobSubject {
  status: MediaStatus
}

export async function findMediaSubjects(db: Database, ids: readonly string[]): Promise<MediaSubject[]> {
  const { rows } = await db.raw<{ rows: MediaSubject[] }>(
    `select c.id, c.status, ${LINE_NAME} as "lineName"
     from media c join lines l on l.id = c.line_id where c.id = any (?::uuid[])`,
    [`{${ids.join()}}`],
  )
  return rows
}

interface DeliverySubject extends JobSubject {
  status: DeliveryStatus
  /** The URL of its endpoint. */
  url: string
}

export async function findDeliverySubjects(db: Database, ids: readonly string[]): Promise<DeliverySubject[]> {
  const { rows } = await db.raw<{ rows: DeliverySubject[] }>(
    `select d.id, d.status, e.url, ${LINE_NAME} as "lineName"
     from deliveries d join endpoints e on e.id = d.endpoint_id join lines l on l.id = d.line_id
     where d.id = any (?::uuid[])`,
    [`{${ids.join()}}`],
  )
  return rows
}
