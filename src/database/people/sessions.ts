import type { Database } from '../connection.js'
import { HAS_SECOND_FACTOR } from './second-factors/has-one.js'
import type { Role } from './users.js'
import { columnsOf, internal, type Row } from '../../shape.js'

export interface Session {
  id: string
  userId: string
  email: string
  name: string
  role: Role
  hasSecondFactor: boolean
  /** True if the password, and the second factor, was given in the last 10 minutes: only then are secrets shown. */
  isConfirmed: boolean
  createdAt: Date
  /** Set if a portal link opened it: it reaches the pages of these lines, and nothing else of the account. */
  portalLineIds?: readonly string[]
  /** The operator whose program made that link. */
  portalMadeBy?: string
}

const LISTED_FIELDS = {
  id: internal<string>('id'),
  userAgent: internal<string>('user_agent'),
  createdAt: internal<Date>('created_at'),
  lastSeenAt: internal<Date>('last_seen_at'),
}

export type ListedSession = Row<typeof LISTED_FIELDS>

/**
 * True for a session until 12 h after the sign-in, and 30 min after the last request (OWASP Session Management,
 * "Session Expiration").
 */
const ALIVE = `last_seen_at > now() - interval '30 minutes' and created_at > now() - interval '12 hours'`

export interface NewSession {
  id: string
  userId: string
  tokenHash: Buffer
  userAgent: string
}

export async function insertSession(
  db: Database,
  session: NewSession,
  table: 'sessions' | 'half_open_sessions' = 'sessions',
): Promise<void> {
  await db(table).insert({
    id: session.id,
    user_id: session.userId,
    token_hash: session.tokenHash,
    user_agent: session.userAgent,
  })
}

/**
 * Deletes the user's sessions, except this many that were used last.
 *
 * @returns the number that ended
 */
export async function deleteOldestSessions(
  trx: Database,
  userId: string,
  keptCount: number,
): Promise<number> {
  const kept = trx('sessions')
    .where({ user_id: userId })
    .whereRaw(ALIVE)
    .orderBy([
      { column: 'last_seen_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(keptCount)
    .select('id')
  return trx('sessions').where({ user_id: userId }).whereRaw(ALIVE).whereNotIn('id', kept).delete()
}

/** Records that the session is in use, at most once a minute: most requests only read. */
export async function useSession(
  db: Database,
  tokenHash: Buffer,
  isUsed: boolean,
): Promise<Session | undefined> {
  const { rows } = await db.raw<{ rows: Session[] }>(
    `with seen as (
       update sessions set last_seen_at = now()
       where :isUsed and token_hash = :tokenHash
         and last_seen_at < now() - interval '1 minute' and ${ALIVE}
     )
     select s.id, u.id as "userId", u.email, u.name, u.role, s.created_at as "createdAt",
       s.confirmed_at > now() - interval '10 minutes' as "isConfirmed",
       ${HAS_SECOND_FACTOR} as "hasSecondFactor"
     from (select * from sessions where token_hash = :tokenHash and ${ALIVE}) s
     join users u on u.id = s.user_id and u.disabled_at is null`,
    { tokenHash, isUsed },
  )
  return rows[0]
}

/**
 * Keeps a session from being ended until the end of the transaction.
 *
 * @returns false if it has ended
 */
export async function holdSession(trx: Database, userId: string, id: string): Promise<boolean> {
  const held = trx('sessions').where({ user_id: userId, id }).whereRaw(ALIVE).forKeyShare()
  return (await held.first('id')) !== undefined
}

/** Lists the newest first. `lastSeenAt` is accurate to the minute. */
export async function listSessions(db: Database, userId: string): Promise<ListedSession[]> {
  return db('sessions')
    .where({ user_id: userId })
    .whereRaw(ALIVE)
    .select<ListedSession[]>(db.raw(columnsOf(LISTED_FIELDS)))
    .orderBy('id', 'desc')
}

/** Continues the session under another token, and records whether it was confirmed now. */
export async function renewSession(
  db: Database,
  {
    userId,
    id,
    tokenHash,
    isConfirmed,
  }: Pick<NewSession, 'userId' | 'id' | 'tokenHash'> & { isConfirmed: boolean },
): Promise<void> {
  const confirmed = isConfirmed ? { confirmed_at: db.fn.now() } : {}
  await db('sessions')
    .where({ user_id: userId, id })
    .update({ ...confirmed, token_hash: tokenHash })
}

/** @returns false if there is none that is alive */
export async function deleteSession(db: Database, userId: string, id: string): Promise<boolean> {
  return (await db('sessions').where({ user_id: userId, id }).whereRaw(ALIVE).delete()) > 0
}

/**
 * Also deletes half-open ones and those that portal links opened, which are not counted.
 *
 * @param keepId undefined to delete all of them
 * @returns their number
 */
export async function deleteSessionsOf(db: Database, userId: string, keepId?: string): Promise<number> {
  await deleteHalfOpenSessionsOf(db, userId)
  await deletePortalAccessOf(db, userId)
  const ended = db('sessions').where({ user_id: userId }).delete()
  return keepId === undefined ? ended : ended.whereNot({ id: keepId })
}

async function deleteHalfOpenSessionsOf(db: Database, userId: string): Promise<void> {
  await db('half_open_sessions').where({ user_id: userId }).delete()
}

/** Deletes the sessions that portal links opened, and links that were not opened yet. */
async function deletePortalAccessOf(db: Database, userId: string): Promise<void> {
  await db('portal_links').where({ user_id: userId }).delete()
  await db('portal_sessions').where({ user_id: userId }).delete()
}

export async function deleteExpiredSessions(db: Database): Promise<number> {
  return db('sessions').whereRaw(`not (${ALIVE})`).delete()
}
