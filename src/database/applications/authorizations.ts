import type { Database } from '../connection.js'
import type { LineStatus } from '../lines/lines.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** A line that an application is authorized for, as the application may know it. */
const LINE_FIELDS = {
  id: internal<string>('l.id'),
  name: internal<string>('l.name'),
  number: internal<string>('l.number'),
  status: internal<LineStatus>('l.status'),
  scopes: internal<string[]>('c.scopes'),
}

export type AuthorizedLine = Row<typeof LINE_FIELDS>

/** An application's right to a line, as the line's owner sees it. Their table is called `application_lines`. */
const AUTHORIZATION_FIELDS = {
  applicationId: internal<string>('a.id'),
  applicationName: internal<string>('a.name'),
  applicationWebsite: internal<string | null>('a.website'),
  ownerName: internal<string>('u.name'),
  lineId: internal<string>('l.id'),
  lineName: internal<string>('l.name'),
  number: internal<string>('l.number'),
  scopes: internal<string[]>('c.scopes'),
  connectedAt: internal<Date>('c.connected_at'),
  lastSentAt: internal<Date | null>('c.last_sent_at'),
  /** The time is accurate to the minute. */
  lastReceivedAt: internal<Date | null>('c.last_received_at'),
}

export type Authorization = Row<typeof AUTHORIZATION_FIELDS>

/** Returns those of the user's lines that are active, and locks them so until the transaction ends. */
export async function lockActiveLines(
  trx: Database,
  userId: string,
  lineIds: readonly string[],
): Promise<string[]> {
  return trx('lines')
    .where({ user_id: userId, status: 'active' })
    .whereIn('id', [...lineIds])
    .orderBy('id')
    .forShare()
    .pluck<string[]>('id')
}

/** An authorization that exists gets the new scopes and keeps the rest. */
export async function upsertAuthorizations(
  db: Database,
  choice: { applicationId: string; userId: string; lineIds: readonly string[]; scopes: readonly string[] },
): Promise<void> {
  await db.raw(
    `insert into application_lines (application_id, line_id, user_id, scopes)
     select :applicationId, id, :userId, :scopes::text[] from unnest(:lineIds::uuid[]) as id order by id
     on conflict (application_id, line_id) do update set user_id = excluded.user_id, scopes = excluded.scopes`,
    { ...choice, lineIds: [...choice.lineIds], scopes: [...choice.scopes] },
  )
}

/**
 * Disconnects lines of an application: all, a user's, or one of a user.
 *
 * @param except these stay
 * @param isOfActive true to leave disabled lines as they are
 * @returns the disconnected ones
 */
export async function deleteAuthorizations(
  db: Database,
  which: {
    applicationId: string
    userId?: string
    lineId?: string | undefined
    except?: readonly string[]
    isOfActive?: boolean
  },
): Promise<string[]> {
  const { applicationId, userId, lineId, except = [], isOfActive = false } = which
  const query = db('application_lines')
    .where({
      application_id: applicationId,
      ...(userId === undefined ? {} : { user_id: userId }),
      ...(lineId === undefined ? {} : { line_id: lineId }),
    })
    .whereNotIn('line_id', [...except])
  if (isOfActive) void query.whereIn('line_id', db('lines').where({ status: 'active' }).select('id'))
  const rows = await query.delete().returning<{ line_id: string }[]>('line_id')
  return rows.map((row) => row.line_id)
}

/**
 * Lists the user's lines that the application is authorized for, oldest first, including those that were disabled
 * since.
 */
export async function listAuthorizedLines(
  db: Database,
  applicationId: string,
  userId: string,
): Promise<AuthorizedLine[]> {
  return db('application_lines as c')
    .join('lines as l', 'l.id', 'c.line_id')
    .where({ 'c.application_id': applicationId, 'c.user_id': userId })
    .orderBy('l.id')
    .select<AuthorizedLine[]>(db.raw(columnsOf(LINE_FIELDS)))
}

/** Lists the authorizations of all the user's lines, or of one, by application in the order of registration. */
export async function listAuthorizations(
  db: Database,
  userId: string,
  lineId?: string,
): Promise<Authorization[]> {
  return db('application_lines as c')
    .join('applications as a', 'a.id', 'c.application_id')
    .join('users as u', 'u.id', 'a.user_id')
    .join('lines as l', 'l.id', 'c.line_id')
    .where({ 'c.user_id': userId, ...(lineId === undefined ? {} : { 'c.line_id': lineId }) })
    .orderBy(['a.id', 'l.id'])
    .select<Authorization[]>(db.raw(columnsOf(AUTHORIZATION_FIELDS)))
}

/** Counts the lines, and their users. */
export async function countAuthorizedLines(
  db: Database,
  applicationId: string,
): Promise<{ lineCount: number; userCount: number }> {
  return db('application_lines').where({ application_id: applicationId }).first<{
    lineCount: number
    userCount: number
  }>(db.raw('count(*)::int as "lineCount", count(distinct user_id)::int as "userCount"'))
}
