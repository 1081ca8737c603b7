import type { Database } from '../connection.js'
import type { Page } from '../lists.js'
import { toJson } from '../text.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** A notification to people. */
const FIELDS = {
  id: internal<string>('id'),
  kind: internal<string>('kind'),
  subject: internal<string>('subject'),
  /** The owner of the line or application that it is about; null if it is about the service as a whole. */
  userId: internal<string | null>('user_id'),
  at: internal<Date>('at'),
  /** The details; `src/domain/operating/notices/kinds.ts` says which ones each kind has. */
  details: internal<unknown>('details'),
}

export type Notice = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

export type NewNotice = Omit<Notice, 'at'>

/**
 * The mails that a person gets: about everything that they may see, about their own lines and applications, or none.
 */
export const NOTICE_MAILS = ['all', 'own', 'none'] as const

export type NoticeMails = (typeof NOTICE_MAILS)[number]

/** The reader. Operators see all notifications, others see theirs. */
export interface NoticeReader {
  userId: string
  role: 'user' | 'operator'
}

/**
 * Returns which of them go to which users' operational webhooks: to the owner's, and to those of operators, as far as
 * they may read them.
 */
export async function listNoticeReceivers(
  trx: Database,
  noticeIds: readonly string[],
): Promise<{ noticeId: string; userId: string }[]> {
  const { rows } = await trx.raw<{ rows: { noticeId: string; userId: string }[] }>(
    `select n.id as "noticeId", u.id as "userId"
     from notices n join users u on u.id = n.user_id or u.role = 'operator'
     where n.id = any (?) and u.disabled_at is null and exists (select from endpoints e
       where e.user_id = u.id and e.line_id is null and e.application_id is null and e.removed_at is null)
     order by n.id, u.id`,
    [[...noticeIds]],
  )
  return rows
}

export async function insertNotices(trx: Database, notices: readonly NewNotice[]): Promise<void> {
  await trx.raw(
    `insert into notices (id, kind, subject, user_id, details)
     select n.id, n.kind, n.subject, u.id, n.details
     from jsonb_to_recordset(?::jsonb) as n(id uuid, kind text, subject text, "userId" uuid, details jsonb)
     left join users u on u.id = n."userId"`,
    [toJson(notices)],
  )
}

/** The filter for a list of notifications. */
export interface NoticeFilter {
  kinds?: readonly string[] | undefined
  /** A part of the details: a name, a host, an id. */
  words?: string | undefined
}

/** Lists the newest first. */
export async function listNotices(
  db: Database,
  reader: NoticeReader,
  { before, limit }: Page,
  { kinds, words }: NoticeFilter = {},
): Promise<Notice[]> {
  const found = seenBy(db, reader).orderBy('id', 'desc').limit(limit).select<Notice[]>(db.raw(COLUMNS))
  if (before !== undefined) void found.where('id', '<', before)
  if (kinds !== undefined) void found.whereIn('kind', [...kinds])
  if (words !== undefined)
    void found.whereRaw(
      // The names of the fields are not searched.
      'exists (select from jsonb_each_text(details) d where has_words(d.value, ?))',
      [words],
    )
  return found
}

export async function findNotices(db: Database, ids: readonly string[]): Promise<Notice[]> {
  return db('notices')
    .whereIn('id', [...ids])
    .orderBy('id')
    .select<Notice[]>(db.raw(COLUMNS))
}

/** Returns those of the ids that no endpoint and no carrier account has any more. */
export async function findGone(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select x.id from unnest(?::uuid[]) x(id)
     where not exists (select from endpoints e where e.id = x.id and e.removed_at is null)
       and not exists (select from carrier_accounts c where c.id = x.id)`,
    [[...ids]],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Counting stops at `limit`. */
export async function countUnreadNotices(db: Database, reader: NoticeReader, limit: number): Promise<number> {
  const unread = seenBy(db, reader)
    .whereRaw(
      `id > coalesce((select notices_read_id from users where id = ?),
         '00000000-0000-0000-0000-000000000000')`,
      [reader.userId],
    )
    .select(db.raw('1'))
    .limit(limit)
  const row = await db.from(unread.as('n')).first<{ count: number }>(db.raw('count(*)::int as count'))
  return row.count
}

export async function findReading(
  db: Database,
  userId: string,
): Promise<{ readId: string | null; mails: NoticeMails } | undefined> {
  return db('users').where({ id: userId }).first<{ readId: string | null; mails: NoticeMails } | undefined>({
    readId: 'notices_read_id',
    mails: 'notice_mails',
  })
}

/** Marks them as read; those that were already read stay so. */
export async function setReadNotice(db: Database, userId: string, noticeId: string): Promise<void> {
  await db.raw(
    `update users set notices_read_id = :noticeId
     where id = :userId and (notices_read_id is null or notices_read_id < :noticeId)`,
    { userId, noticeId },
  )
}

export async function setNoticeMails(db: Database, userId: string, mails: NoticeMails): Promise<void> {
  await db('users').where({ id: userId }).update({ notice_mails: mails })
}

/**
 * Deletes notifications with their mails.
 *
 * @returns their number, at most `limit`
 */
export async function deleteOldNotices(db: Database, keptDays: number, limit: number): Promise<number> {
  return db('notices')
    .whereIn(
      'id',
      db('notices')
        .whereRaw('id < lowest_id_at(now() - make_interval(days => ?))', [keptDays])
        .orderBy('id')
        .limit(limit)
        .select('id'),
    )
    .delete()
}

function seenBy(db: Database, { userId, role }: NoticeReader) {
  const notices = db('notices')
  return role === 'operator' ? notices : notices.where({ user_id: userId })
}
