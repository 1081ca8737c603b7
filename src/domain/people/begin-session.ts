import type { Database } from '../../database/connection.js'
import { insertHalfOpenSession } from '../../database/carriers/half-open-sessions.js'
import { hasSecondFactor } from '../../database/people/second-factors/has-one.js'
import { deleteOldestSessions, insertSession, type NewSession } from '../../database/people/sessions.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { newSession } from './sessions.js'

/**
 * The most that a user has at once. Nobody has so many browsers: with one more, the one that was not used for longest
 * ends.
 */
export const MAX_SESSIONS = 20

export interface BegunSession {
  /** Which the browser keeps. */
  token: string
  /** The second factor is still asked for: until then the token opens nothing else. */
  isHalfOpen: boolean
}

/**
 * Begins a session for somebody who has given the password, or a set-up link. The transaction holds the user's lock.
 */
export async function beginSession(
  context: Context,
  trx: Database,
  userId: string,
  userAgent: string,
): Promise<BegunSession> {
  const { token, row } = newSession(userId, userAgent)
  const isHalfOpen = await hasSecondFactor(trx, userId)
  if (isHalfOpen) await insertHalfOpenSession(trx, row)
  else await openSession(context, trx, row)
  return { token, isHalfOpen }
}

/** From here on it is the user who acts, in the session that begins. */
export async function openSession(context: Context, trx: Database, row: NewSession): Promise<void> {
  const { id, userId, userAgent } = row
  const { address } = context.actor
  const actor = { kind: 'user', userId, credentialId: id, address } as const
  const sessionsEnded = await deleteOldestSessions(trx, userId, MAX_SESSIONS - 1)
  await insertSession(trx, row)
  await record({ actor }, trx, {
    action: 'sign_in.succeeded',
    subjectId: id,
    userId,
    after: { browser: userAgent, ...(sessionsEnded === 0 ? {} : { sessionsEnded }) },
  })
}
