import type { Database } from '../connection.js'
import { HAS_SECOND_FACTOR } from './second-factors/has-one.js'

/**
 * The session of a user who has given the password, but not yet the second factor. It gives access only to that step.
 */
export interface HalfOpenSession {
  id: string
  userId: string
  email: string
}

const ALIVE = `h.created_at > now() - interval '10 minutes'`

/**
 * Does not find that of a disabled user, nor that of a user whose second factor has been removed since: they have to
 * enter the password again.
 */
export async function findHalfOpenSession(
  db: Database,
  tokenHash: Buffer,
): Promise<HalfOpenSession | undefined> {
  const { rows } = await db.raw<{ rows: HalfOpenSession[] }>(
    `select h.id, h.user_id as "userId", u.email from half_open_sessions h
     join users u on u.id = h.user_id and u.disabled_at is null
     where h.token_hash = ? and ${ALIVE} and ${HAS_SECOND_FACTOR}`,
    [tokenHash],
  )
  return rows[0]
}

/** @returns false if it is over, or has been completed since */
export async function takeHalfOpenSession(db: Database, id: string): Promise<boolean> {
  return (await db('half_open_sessions as h').where({ 'h.id': id }).whereRaw(ALIVE).delete()) > 0
}

export async function deleteExpiredHalfOpenSessions(db: Database): Promise<number> {
  return db('half_open_sessions as h').whereRaw(`not (${ALIVE})`).delete()
}
