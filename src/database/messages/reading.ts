import { columnsOf } from '../../shape.js'
import type { Database } from '../connection.js'
import { conditions, idsBetween, statusIs, type Page } from '../pages.js'
import { MESSAGE_FIELDS, type Direction, type Message, type MessageType } from './message.js'

export interface MessageFilter {
  lineId?: string
  /** Only of these; none: of no line. */
  lineIds?: readonly string[]
  /** Only what this application sent. */
  applicationId?: string
  direction?: Direction
  type?: MessageType
  status?: string
  /** E.164: who is at the other end. */
  number?: string
  /** What whoever sent it calls it. */
  clientRef?: string
  from?: Date
  until?: Date
}

const COLUMNS = columnsOf(MESSAGE_FIELDS)

/** As the index messages_contact has it. */
export const CONTACT_NUMBER = `(case m.direction when 'outbound' then m.to_number else m.from_number end)`

export async function findMessage(db: Database, userId: string, id: string): Promise<Message | undefined> {
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select ${COLUMNS} from messages m where m.user_id = ? and m.id = ?::uuid`,
    [userId, id],
  )
  return rows[0]
}

/** For operators: whose message it is. */
export async function findMessageOwner(db: Database, id: string): Promise<string | undefined> {
  const row = await db('messages').where({ id }).first<{ userId: string } | undefined>({ userId: 'user_id' })
  return row?.userId
}

/**
 * The user's messages, newest first. A page's worth of each line is read from the index, so neither a busy line nor a
 * full table makes a page slower.
 */
export async function listMessages(
  db: Database,
  userId: string,
  filter: MessageFilter,
  page: Page,
): Promise<Message[]> {
  return listOf(db, userId, filter, page)
}

/** For operators: every user's, line by line too, so it takes longer the more lines there are. */
export async function listAnyMessages(db: Database, filter: MessageFilter, page: Page): Promise<Message[]> {
  return listOf(db, undefined, filter, page)
}

async function listOf(
  db: Database,
  userId: string | undefined,
  filter: MessageFilter,
  page: Page,
): Promise<Message[]> {
  const line = conditions([
    ['l.user_id = ?', userId],
    ['l.id = ?::uuid', filter.lineId],
    ['l.id = any (?::uuid[])', filter.lineIds && `{${filter.lineIds.join()}}`],
  ])
  const span = idsBetween('m.id', page, filter)
  const given = conditions([
    ['m.direction = ?', filter.direction],
    ['m.application_id = ?::uuid', filter.applicationId],
    ['m.type = ?', filter.type],
    statusIs('m.status', filter.status, [['scheduled'], ['queued', 'sending'], ['failed', 'unknown']]),
    ['m.client_ref = ?', filter.clientRef],
    [`${CONTACT_NUMBER} = ?`, filter.number],
  ])
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select found.* from lines l
     cross join lateral (
       select ${COLUMNS} from messages m where m.line_id = l.id${span.sql}${given.sql}
       order by m.id desc limit ?
     ) found
     where true${line.sql}
     order by found.id desc limit ?`,
    [...span.bindings, ...given.bindings, page.limit, ...line.bindings, page.limit],
  )
  return rows
}
