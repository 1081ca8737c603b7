import { transaction, type Database } from '../../connection.js'
import { countOf } from '../../lists.js'
import { CONTACT_NUMBER } from '../reading.js'

/**
 * Marks of a line's conversations: unread, and archived. They belong to the line and not to the reader: a line is an
 * inbox that a few people share, and when one of them has read or archived a conversation, the others need not look
 * at it.
 */
export interface ConversationKey {
  userId: string
  lineId: string
  number: string
}

const OWN_LINE = '(select id from lines where id = :lineId and user_id = :userId)'

/** SQL: the first message of the conversation `k` that came in after the newest one that the reader was shown. */
const NEWER = `(select m.id from messages m where m.line_id = k.line_id and ${CONTACT_NUMBER} = k.number
  and m.direction = 'inbound' and m.id > :upTo::uuid order by m.id limit 1)`

/**
 * Marks a conversation as read, before its messages are listed: one that comes in later makes it unread again.
 *
 * @param isOpened false for a page that is open already: it leaves a conversation unread that somebody has marked so
 *   on purpose
 * @returns true if it was unread
 */
export async function markRead(
  db: Database,
  key: ConversationKey,
  { isOpened }: { isOpened: boolean },
): Promise<boolean> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update line_peers set unread_id = null
     where line_id = ${OWN_LINE} and number = :number and unread_id is not null
     ${isOpened ? '' : `and unread_id <> ${onPurpose('unread_id')}`}`,
    { ...key },
  )
  return rowCount > 0
}

/**
 * Makes the mark of a conversation that was marked as unread from a message on: an id just below the message's that
 * belongs to no message. The end of an id is random, and the part before it distinguishes messages of one millisecond.
 */
function onPurpose(id: string): string {
  return `(left(${id}::text, 24) || '000000000000')::uuid`
}

/** Marks a conversation as unread, from its newest message on, and brings it back from the archive. */
export async function markUnread(db: Database, key: ConversationKey): Promise<void> {
  await db.raw(
    `insert into line_peers as k (line_id, number, unread_id)
     select l.id, :number, ${onPurpose('m.id')} from lines l
     cross join lateral (
       select m.id from messages m where m.line_id = l.id and ${CONTACT_NUMBER} = :number order by m.id desc limit 1) m
     where l.id = :lineId and l.user_id = :userId
     on conflict (line_id, number) do update
       set unread_id = ${onPurpose('coalesce(k.unread_id, excluded.unread_id)')}, archived_at = null`,
    { ...key },
  )
}

/**
 * Puts a conversation away until its number writes again. It counts as read.
 *
 * @param key.upTo the newest message that the reader was shown
 * @returns false if it is unread since a newer one came in: then it stays
 */
export async function archive(db: Database, key: ConversationKey & { upTo: string }): Promise<boolean> {
  return transaction(db, async (trx) => {
    await lockMarks(trx, `line_id = ${OWN_LINE} and number = :number`, key)
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      // The time is truncated to milliseconds, because the archive's pages are distinguished by it.
      `insert into line_peers as k (line_id, number, archived_at)
       select l.id, :number, date_trunc('milliseconds', now()) from lines l where l.id = :lineId and l.user_id = :userId
       on conflict (line_id, number) do update set archived_at = excluded.archived_at, unread_id = null
       where k.unread_id is null or (k.unread_id <= :upTo::uuid and ${NEWER} is null)`,
      { ...key },
    )
    return rowCount > 0
  })
}

/**
 * Locks conversations, in the order of `receive_messages`. A message that is coming in holds its conversation until it
 * is committed. A statement that waited for it would still not see it: one that begins afterwards does.
 */
async function lockMarks(trx: Database, which: string, bindings: object): Promise<void> {
  await trx.raw(
    `select count(*) from (select 1 from line_peers where ${which} order by line_id, number for update) locked`,
    { ...bindings },
  )
}

export async function takeFromArchive(db: Database, key: ConversationKey): Promise<void> {
  await db.raw(`update line_peers set archived_at = null where line_id = ${OWN_LINE} and number = :number`, {
    ...key,
  })
}

/**
 * Marks every conversation of the user's lines as read.
 *
 * @param upTo the newest message that the reader was shown: what came in since then stays unread
 */
export async function markAllRead(db: Database, userId: string, upTo: string): Promise<void> {
  const shown = 'line_id in (select id from lines where user_id = :userId) and unread_id <= :upTo::uuid'
  await transaction(db, async (trx) => {
    await lockMarks(trx, shown, { userId, upTo })
    await trx.raw(`update line_peers k set unread_id = ${NEWER} where ${shown}`, { userId, upTo })
  })
}

/**
 * Records that a user works with the inbox, at most once a day.
 *
 * @returns true if it was noted, which may change `countInbox`
 */
export async function noteInboxOpened(db: Database, userId: string): Promise<boolean> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update users set inbox_opened_at = now() where id = ? and inbox_opened_at < now() - interval '1 day'`,
    [userId],
  )
  return rowCount > 0
}

/**
 * Counts the unread conversations for the head of every page, up to `limit`. Programs that use the API read nothing, so
 * for their users the count would stay at its limit forever. Users who have not opened the inbox or a conversation for
 * 30 days, or since they were added, have no count; the lists still show what is unread, and the first look brings the
 * count back.
 */
export function countInbox(db: Database, userId: string, limit: number): Promise<number> {
  return countUnread(
    db,
    { userId, limit },
    `and exists (select from users u where u.id = :userId and u.inbox_opened_at > now() - interval '30 days')`,
  )
}

/**
 * Counts the unread conversations, up to `limit`.
 *
 * @param of.lineId if left out, all of the user's lines are meant
 */
export function countUnreadConversations(
  db: Database,
  { userId, lineId }: { userId: string; lineId?: string },
  limit: number,
): Promise<number> {
  return lineId === undefined
    ? countUnread(db, { userId, limit })
    : countUnread(db, { userId, lineId, limit }, 'and l.id = :lineId')
}

async function countUnread(
  db: Database,
  bindings: Record<string, string | number>,
  condition = '',
): Promise<number> {
  return countOf(
    db,
    `(select 1 from lines l join line_peers k on k.line_id = l.id and k.unread_id is not null
      where l.user_id = :userId ${condition} limit :limit) found`,
    bindings,
  )
}
