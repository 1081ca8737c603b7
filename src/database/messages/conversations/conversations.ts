import type { Database } from '../../connection.js'
import { MEDIA_OF_MESSAGE, type MessageMedia } from '../../media/reading.js'
import { FORGOTTEN } from '../../people/forgotten.js'
import type { Direction, Message, MessageType } from '../message.js'
import { COLUMNS, CONTACT_NUMBER } from '../reading.js'

export interface ConversationMessage {
  id: string
  lineId: string
  lineNumber: string
  lineName: string
  direction: Direction
  type: MessageType
  text: string | null
  media: MessageMedia[]
  /** When it arrived: at the carrier if the line sent it, otherwise at the line. */
  at: Date
}

/**
 * Lists the messages between a number and the user's lines at one carrier, newest first. Messages that the lines sent
 * are listed only if the carrier took them.
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

/** Lists the numbers that were last in touch with the user's lines at a carrier, the latest first. */
export async function listLatestContacts(
  db: Database,
  userId: string,
  { carrier, limit }: { carrier: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { number: string }[] }>(
    // A bounded number of messages of each line is read: a line may have very many, and all with one number.
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

/** The last message of a line with a number, and the facts about the number. */
export interface Conversation extends Message {
  number: string
  /** The user's name for the number. */
  contactName: string | null
  blockedAt: Date | null
  optedOutAt: Date | null
  pausedUntil: Date | null
  /** The messages received since the conversation was last read, at most MAX_UNREAD_MESSAGES. */
  unreadCount: number
  archivedAt: Date | null
}

/** Counting stops here. */
export const MAX_UNREAD_MESSAGES = 100

/** The messages that one page searches: a line may have very many, and all with one number. */
const MESSAGES_AT_ONCE = 2000

/** The unread or archived conversations that one page searches. */
const MARKED_AT_ONCE = 500

/**
 * The columns that a page of a conversation shows besides its last message; c: its line and number, k: the facts that
 * the line keeps about the number.
 */
const SHOWN = `${COLUMNS}, c.number, n.name as "contactName", n.blocked_at as "blockedAt",
  k.opted_out_at as "optedOutAt", case when k.paused_until > now() then k.paused_until end as "pausedUntil",
  k.archived_at as "archivedAt", case when k.unread_id is null then 0 else greatest(1, (
    select count(*) filter (where u.direction = 'inbound') from (
      select m.direction from messages m
      where m.line_id = k.line_id and ${CONTACT_NUMBER} = k.number and m.id >= k.unread_id
      order by m.id desc limit ${MAX_UNREAD_MESSAGES}) u))::integer end as "unreadCount"`

/** What a search of conversations looks for: a part of the number, of the contact's name, or of a text. */
export interface Sought {
  words: string
}

/** A number is found however it is written, with gaps or without. */
const numberPartOf = ({ words }: Sought) =>
  /^[+\d\s().-]+$/.test(words) ? words.replace(/[^+\d]/g, '') : words

const bindingsOf = (sought: Sought | undefined) =>
  sought === undefined ? {} : { words: sought.words, numberPart: numberPartOf(sought) }

const has = (column: string, binding: 'words' | 'numberPart') => `has_words(${column}, :${binding})`

/**
 * Lists the numbers that a line was in contact with, the latest first, as far as the newest messages before the cursor
 * show; archived conversations are left out. A page may have few entries and still be followed by an older one.
 *
 * @param page.sought finds a conversation by the newest message that matches, which is the one that is shown. A later
 *   page may find it again, by an older text
 * @returns older: the cursor of the next page, or null if there is none
 */
export async function listConversations(
  db: Database,
  { userId, lineId }: { userId: string; lineId: string },
  page: { before?: string | null | undefined; limit: number; sought?: Sought | undefined },
): Promise<{ conversations: Conversation[]; older: string | null }> {
  const { before = null, limit, sought } = page
  const isSaid = sought === undefined ? 'false' : has('m.text', 'words')
  const { rows } = await db.raw<{ rows: (Conversation & { lookedTo: string | null })[] }>(
    `with looked_at as materialized (
       select m.id, m.number, m.is_said from lines l
       cross join lateral (
         select m.id, ${CONTACT_NUMBER} as number, ${isSaid} as is_said from messages m
         where m.line_id = l.id ${before === null ? '' : 'and m.id < :before::uuid'}
         order by m.id desc limit :atOnce) m
       where l.id = :lineId and l.user_id = :userId
     ), latest as (
       select distinct on (l.number) l.number, l.id, l.is_said from looked_at l ${
         sought === undefined
           ? ''
           : `where l.is_said or ${has('l.number', 'numberPart')} or l.number in (
                select n.number from contacts n where n.user_id = :userId and ${has('n.name', 'words')})`
       } order by l.number, l.id desc
     ), chosen as (
       select l.number, l.id from latest l
       where l.number <> '${FORGOTTEN}' and (
         select true from line_peers k
         where k.line_id = :lineId and k.number = l.number and k.archived_at is not null limit 1) is null ${
           // A number that was in contact since then is on an earlier page.
           before === null
             ? ''
             : `and (l.is_said or (select true from messages m where m.line_id = :lineId and ${CONTACT_NUMBER} = l.number
                and m.id >= :before::uuid limit 1) is null)`
         }
       order by l.id desc limit :limit
     ), found as (
       select ${SHOWN}
       from chosen c
       cross join lateral (select * from messages where id = c.id limit 1) m
       left join contacts n on n.number = c.number and n.user_id = :userId
       left join line_peers k on k.line_id = :lineId and k.number = c.number
     )
     select f.*, e.id as "lookedTo"
     from (select (select l.id from looked_at l order by l.id desc limit 1 offset ${MESSAGES_AT_ONCE - 1})) e(id)
     left join found f on true order by f.id desc`,
    { userId, lineId, before, limit: limit + 1, atOnce: MESSAGES_AT_ONCE, ...bindingsOf(sought) },
  )
  const found = rows.filter(({ number }) => (number as string | null) !== null)
  const conversations = found.slice(0, limit)
  const older = found.length > limit ? conversations.at(-1)?.id : rows[0]?.lookedTo
  return { conversations, older: older ?? null }
}

/**
 * Lists the unread conversations, the one that became unread last first.
 *
 * @param of.lineId if left out, all of the user's lines are meant
 * @param page.before the cursor, a message's id
 * @param page.sought of the texts, only the last one of each conversation is searched
 */
export async function listUnreadConversations(
  db: Database,
  { userId, lineId }: { userId: string; lineId?: string },
  { before, ...page }: { before?: string | undefined; limit: number; sought?: Sought | undefined },
): Promise<{ conversations: Conversation[]; older: string | null }> {
  return listMarked(
    db,
    `select k.line_id, k.number, k.unread_id as cursor from lines l
     cross join lateral (
       select k.line_id, k.number, k.unread_id from line_peers k
       where k.line_id = l.id and k.unread_id is not null ${before === undefined ? '' : 'and k.unread_id < :before::uuid'}
       order by k.unread_id desc limit :atOnce) k
     where l.user_id = :userId ${lineId === undefined ? '' : 'and l.id = :lineId'}
     order by k.unread_id desc limit :atOnce`,
    {
      userId,
      ...(lineId === undefined ? {} : { lineId }),
      ...(before === undefined ? {} : { before }),
    },
    page,
  )
}

/**
 * Lists the archived conversations of a line, the one that was archived last first. Those that were archived in the same
 * millisecond are on one page, which may be longer for them.
 *
 * @param page.sought of the texts, only the last one of each conversation is searched
 */
export async function listArchivedConversations(
  db: Database,
  { userId, lineId }: { userId: string; lineId: string },
  { before, ...page }: { before?: Date | undefined; limit: number; sought?: Sought | undefined },
): Promise<{ conversations: Conversation[]; older: string | null }> {
  const { conversations, older } = await listMarked(
    db,
    `select k.line_id, k.number, k.archived_at as cursor from lines l
     join line_peers k on k.line_id = l.id and k.archived_at is not null
       ${before === undefined ? '' : 'and k.archived_at < :before'}
     where l.id = :lineId and l.user_id = :userId
     order by k.archived_at desc fetch first :atOnce rows with ties`,
    { userId, lineId, ...(before === undefined ? {} : { before }) },
    page,
  )
  // A page that is longer than its limit may contain the last ones.
  const hasOlder =
    older !== null &&
    (conversations.length <= page.limit ||
      (await db('line_peers').where({ line_id: lineId }).where('archived_at', '<', older).first('number')) !==
        undefined)
  return { conversations, older: hasOlder ? older : null }
}

type Marked = Conversation & { cursor: string | Date; lookedTo: string | Date | null }

/**
 * @param looked selects the line, the number and the cursor of :atOnce conversations, and of all that have the last one's
 *   cursor
 */
async function listMarked(
  db: Database,
  looked: string,
  bindings: Record<string, string | Date>,
  { limit, sought }: { limit: number; sought?: Sought | undefined },
): Promise<{ conversations: Conversation[]; older: string | null }> {
  const atOnce = sought === undefined ? limit + 1 : MARKED_AT_ONCE
  const { rows } = await db.raw<{ rows: Marked[] }>(
    `with looked_at as materialized (${looked}), found as (
       select ${SHOWN}, c.cursor
       from looked_at c
       join line_peers k on k.line_id = c.line_id and k.number = c.number
       cross join lateral (
         select m.* from messages m where m.line_id = c.line_id and ${CONTACT_NUMBER} = c.number order by m.id desc limit 1) m
       left join contacts n on n.number = c.number and n.user_id = :userId
       ${
         sought === undefined
           ? ''
           : `where ${has('c.number', 'numberPart')} or ${has('n.name', 'words')} or ${has('m.text', 'words')}`
       } order by c.cursor desc fetch first :limit rows with ties
     )
     select f.*, e.cursor as "lookedTo"
     from (select (select l.cursor from looked_at l order by l.cursor desc limit 1 offset :last)) e(cursor)
     left join found f on true order by f.cursor desc`,
    { ...bindings, limit: limit + 1, atOnce, last: atOnce - 1, ...bindingsOf(sought) },
  )
  const found = rows.filter(({ number }) => (number as string | null) !== null)
  // The next page begins after the cursor of this one's last, and would pass over others with the same.
  const last = found[limit - 1]
  const conversations = found.filter(
    ({ cursor }, n) => n < limit || (last !== undefined && isSame(cursor, last.cursor)),
  )
  // A conversation whose message retention has deleted is looked at but not returned, so a page with fewer is not
  // necessarily the last.
  const older = found.length > limit ? conversations.at(-1)?.cursor : rows[0]?.lookedTo
  return { conversations, older: older instanceof Date ? older.toISOString() : (older ?? null) }
}

function isSame(one: string | Date, other: string | Date): boolean {
  return one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other
}
