import { columnsOf } from '../../shape.js'
import type { Database } from '../connection.js'
import { linesThat, listOfLines, readList, statusIs, type Condition, type Page, type Sql } from '../lists.js'
import { MESSAGE_FIELDS, type Direction, type Message, type MessageType } from './message.js'

export interface MessageFilter {
  lineId?: string
  /** Only messages of these lines; if empty, of no line. */
  lineIds?: readonly string[]
  /** Only messages that this application sent. */
  applicationId?: string
  direction?: Direction
  type?: MessageType
  status?: string
  /** The other party's number (E.164). */
  number?: string
  /** The sender's reference. */
  clientRef?: string
  from?: Date
  until?: Date
}

/** The columns of `messages m`. */
export const COLUMNS = columnsOf(MESSAGE_FIELDS)

/** The other party's number, written as in the index messages_contact. */
export const CONTACT_NUMBER = `(case m.direction when 'outbound' then m.to_number else m.from_number end)`

export async function findMessage(db: Database, userId: string, id: string): Promise<Message | undefined> {
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select ${COLUMNS} from messages m where m.user_id = ? and m.id = ?::uuid`,
    [userId, id],
  )
  return rows[0]
}

/** Returns the user whom a message belongs to, for operators. */
export async function findMessageOwner(db: Database, id: string): Promise<string | undefined> {
  const row = await db('messages').where({ id }).first<{ userId: string } | undefined>({ userId: 'user_id' })
  return row?.userId
}

/** Lists the user's messages, newest first. */
export function listMessages(
  db: Database,
  userId: string,
  filter: MessageFilter,
  page: Page,
): Promise<Message[]> {
  return readList(db, messagesOf(userId, filter, page))
}

/**
 * Lists every user's messages, for operators; it also reads line by line, so it takes longer the more lines there
 * are.
 */
export function listAnyMessages(db: Database, filter: MessageFilter, page: Page): Promise<Message[]> {
  return readList(db, messagesOf(undefined, filter, page))
}

export const messageStatusIs = (status: string | undefined) =>
  statusIs('m.status', status, [['scheduled'], ['queued', 'sending'], ['failed', 'unknown']])

function messagesOf(userId: string | undefined, filter: MessageFilter, page: Page): Sql {
  const where: Condition[] = [
    ['m.direction = ?', filter.direction],
    ['m.application_id = ?::uuid', filter.applicationId],
    ['m.type = ?', filter.type],
    messageStatusIs(filter.status),
    ['m.client_ref = ?', filter.clientRef],
    [`${CONTACT_NUMBER} = ?`, filter.number],
  ]
  const source = { alias: 'm', from: 'messages m', columns: COLUMNS, where }
  return listOfLines(linesThat(userId, filter), [source], page, { span: filter })
}
