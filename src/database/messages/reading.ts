import type { MessageStatus } from '../../states.js'
import type { Database } from '../connection.js'
import { MEDIA_OF_MESSAGE, type MessageMedia } from '../media/reading.js'
import { conditions, idsBetween, statusIs, type Page } from '../pages.js'

export const DIRECTIONS = ['outbound', 'inbound'] as const
export const MESSAGE_TYPES = ['text', 'media', 'voicemail'] as const

export type Direction = (typeof DIRECTIONS)[number]
export type MessageSource = 'webhook' | 'application' | 'api' | 'console' | 'carrier' | 'service'
export type MessageType = (typeof MESSAGE_TYPES)[number]

/** A message as its owner sees it. */
export interface Message {
  id: string
  userId: string
  lineId: string
  direction: Direction
  source: MessageSource
  /** The application that sent it. */
  applicationId: string | null
  type: MessageType
  fromNumber: string
  toNumber: string
  text: string | null
  /** As the line's owner gave it; of a received message, our own. */
  mediaUrl: string | null
  /** The copy of it. */
  media: MessageMedia | null
  status: MessageStatus
  error: string | null
  /** The carrier's own code beside the error. */
  carrierCode: string | null
  attemptCount: number
  carrierMessageId: string | null
  /** The message that a person sent again with this one. */
  againOf: string | null
  createdAt: Date
  /** While queued: when it is worked on next. */
  dueAt: Date
  /** When a worker took it to the carrier, last. */
  claimedAt: Date | null
  sentAt: Date | null
  receiptAt: Date | null
}

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
  from?: Date
  until?: Date
}

const COLUMNS = `m.id, m.user_id as "userId", m.line_id as "lineId", m.direction, m.source, m.application_id as "applicationId", m.type,
  m.from_number as "fromNumber", m.to_number as "toNumber", m.text, m.media_url as "mediaUrl", ${MEDIA_OF_MESSAGE} as media, m.status, m.error, m.carrier_code as "carrierCode",
  m.attempt_count as "attemptCount", m.carrier_message_id as "carrierMessageId", m.again_of as "againOf",
  m.created_at as "createdAt", m.due_at as "dueAt", m.claimed_at as "claimedAt", m.sent_at as "sentAt",
  m.receipt_at as "receiptAt"`

/** As the index messages_contact has it. */
export const CONTACT_NUMBER = `(case m.direction when 'outbound' then m.to_number else m.from_number end)`

export async function findMessage(db: Database, userId: string, id: string): Promise<Message | undefined> {
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select ${COLUMNS} from messages m where m.user_id = ? and m.id = ?::uuid`,
    [userId, id],
  )
  return rows[0]
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
  const line = conditions([
    ['l.id = ?::uuid', filter.lineId],
    ['l.id = any (?::uuid[])', filter.lineIds && `{${filter.lineIds.join()}}`],
  ])
  const span = idsBetween('m.id', page, filter)
  const given = conditions([
    ['m.direction = ?', filter.direction],
    ['m.application_id = ?::uuid', filter.applicationId],
    ['m.type = ?', filter.type],
    statusIs('m.status', filter.status, ['failed', 'unknown']),
    [`${CONTACT_NUMBER} = ?`, filter.number],
  ])
  const { rows } = await db.raw<{ rows: Message[] }>(
    `select found.* from lines l
     cross join lateral (
       select ${COLUMNS} from messages m where m.line_id = l.id${span.sql}${given.sql}
       order by m.id desc limit ?
     ) found
     where l.user_id = ?${line.sql}
     order by found.id desc limit ?`,
    [...span.bindings, ...given.bindings, page.limit, userId, ...line.bindings, page.limit],
  )
  return rows
}
