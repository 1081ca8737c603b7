import type { Database } from '../connection.js'
import { MEDIA_OF_MESSAGE, type MessageMedia } from '../media/reading.js'
import { FORGOTTEN } from '../people/forgotten.js'
import type { Direction, MessageType } from './message.js'
import { CONTACT_NUMBER } from './reading.js'

export interface ConversationMessage {
  id: string
  lineId: string
  lineNumber: string
  lineName: string
  direction: Direction
  type: MessageType
  text: string | null
  media: MessageMedia | null
  /** When it was there: at the carrier if the line sent it, else at the line. */
  at: Date
}

/**
 * What a number and the user's lines at one carrier have written to each other, newest first. Of what the lines
 * sent, only what the carrier took.
 */
export async function listConversation(
  db: Database,
  userId: string,
  { carrier, number, limit }: { carrier: string; number: string; limit: number },
): Promise<ConversationMessage[]> {
  const { rows } = await db.raw<{ rows: ConversationMessage[] }>(
    `select m.id, l.id as "lineId", l.number as "lineNumber", l.name as "lineName", m.direction, m.type, m.text,
            ${MEDIA_OF_MESSAGE} as media, coalesce(m.sent_at, m.created_at) as at
     from lines l
     cross join lateral (
       select * from messages m
       where m.line_id = l.id and m.user_id = l.user_id and ${CONTACT_NUMBER} = ?
         and m.status in ('received', 'sent', 'delivered')
       order by m.id desc limit ?) m
     where l.user_id = ? and l.carrier = ?
     order by m.id desc limit ?`,
    [number, limit, userId, carrier, limit],
  )
  return rows
}

/** The numbers that were last in touch with the user's lines at a carrier, the latest first. */
export async function listLatestContacts(
  db: Database,
  userId: string,
  { carrier, limit }: { carrier: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { number: string }[] }>(
    // Of each line a bounded number of messages: a line may have very many, and all with one number.
    `select number from (
       select distinct on (m.number) m.number, m.id
       from lines l
       cross join lateral (
         select m.id, ${CONTACT_NUMBER} as number from messages m
         where m.line_id = l.id and m.user_id = l.user_id
         order by m.id desc limit 200) m
       where l.user_id = ? and l.carrier = ? and m.number <> '${FORGOTTEN}'
       order by m.number, m.id desc) latest
     order by id desc limit ?`,
    [userId, carrier, limit],
  )
  return rows.map(({ number }) => number)
}
