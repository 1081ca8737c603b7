import type { Database } from '../../database/connection.js'
import { hasSecondFactor } from '../../database/people/second-factors/has-one.js'
import { deleteOldestSessions, insertSession, type NewSession } from '../../database/people/sessions.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { newSession } from './sessions.js'

/**
 * The most sessions that a user has at a time. Nobody needs more browsers in practice: with one more, the session that
 * has been idle for longest ends.
 */
const MAX_SESSIONS = 20

export interface BegunSession {
  /** The token that the browser stores. */
  token: string
  /** True if the second factor is still required: until then the token opens nothing else. */
  isHalfOpen: boolean
}

/**
 * Begins a session for a user who has given the password, or used a set-up link. The transaction holds the user's
 * lock.
 */
export async function beginSession(
  context: Context,
  trx: Database,
  userId: string,
  userAgent: string,
): Promise<BegunSession> {
  const { token, row } = newSession(userId, userAgent)
  const isHalfOpen = await hasSecondFactor(trx, userId)
  if (isHalfOpen) await insertSession(trx, row, 'half_open_sessions')
  else await openSession(context, trx, row)
  return { token, isHalfOpen }
}

/** From here on the user is the actor, in the session that begins. */
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
