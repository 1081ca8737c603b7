import { transaction } from '../database/connection.js'
import {
  confirmSession,
  deleteSession,
  deleteSessionsOf,
  useSession,
  type NewSession,
  type Session,
} from '../database/sessions.js'
import { deleteSetUpLinkOf } from '../database/set-up-links.js'
import { storable } from '../database/text.js'
import { findPassword, lockUser, updatePassword } from '../database/users.js'
import { UserError } from '../errors.js'
import { isId, newId } from '../ids.js'
import { newToken, sha256 } from '../secrets.js'
import { record } from './audit.js'
import type { Context } from './context.js'
import { hashPassword, requireGoodPassword } from './passwords.js'
import { finishRevoking, revokeAccessIn } from './revoke-access.js'
import { provePassword } from './sign-in-attempts.js'

export type { ListedSession, Session } from '../database/sessions.js'

export const PASSWORD_REFUSED = 'password is wrong. After several attempts wait 15 minutes.'

/** A browser's own name has room. A longer header would fill the list of sessions. */
const USER_AGENT_LENGTH = 200

/**
 * The row of a new session, to be inserted in a transaction of the caller, and its token. The browser keeps the token; we
 * keep its hash.
 */
export function newSession(userId: string, userAgent: string): { token: string; row: NewSession } {
  const token = newToken()
  const shown = storable(userAgent.slice(0, USER_AGENT_LENGTH))
  return { token, row: { id: newId(), userId, tokenHash: sha256(token), userAgent: shown } }
}

/**
 * Finds the session of a token. undefined: nobody's, ended, or not used for 30 minutes.
 *
 * @param isUsed false: an open page asks by itself, not a person, so this does not keep the session alive
 */
export async function findSession(
  { db }: Context,
  token: string,
  { isUsed = true } = {},
): Promise<Session | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined
  return useSession(db, sha256(token), isUsed)
}

/** Ends a session, also when somebody signs out. @throws UserError 404 */
export async function endSession(context: Context, userId: string, id: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const isEnded = isId(id) && (await deleteSession(trx, userId, id))
    if (!isEnded) throw new UserError('no such session', 404)
    await record(context, trx, { action: 'session.ended', subjectId: id, userId })
  })
}

/**
 * Ends all of the user's sessions, or all but one.
 *
 * @returns how many it were
 */
export function endSessions(context: Context, userId: string, keepId?: string): Promise<number> {
  return transaction(context.db, async (trx) => {
    const sessionCount = await deleteSessionsOf(trx, userId, keepId)
    if (sessionCount > 0) {
      const act = { action: 'sessions.ended', subjectId: userId, userId } as const
      await record(context, trx, { ...act, after: { sessionCount } })
    }
    return sessionCount
  })
}

/**
 * Makes the session confirmed for 10 minutes.
 *
 * @param address the client's IP address
 * @throws UserError 401 PASSWORD_REFUSED, which counts as an attempt to sign in; Unavailable
 */
export async function confirmPassword(
  context: Context,
  session: Session,
  password: string,
  address: string,
): Promise<void> {
  await requirePassword(context, session, password, address)
  await confirmSession(context.db, session.userId, session.id)
}

/**
 * Ends the user's other sessions too, and takes away a set-up link that was not used.
 *
 * @param address the client's IP address
 * @param revokes whether API tokens and what applications may do end too
 * @throws UserError 400 for the new password, 401 PASSWORD_REFUSED for the current one; Unavailable
 */
export async function changePassword(
  context: Context,
  session: Session,
  current: string,
  next: string,
  address: string,
  { revokes = false } = {},
): Promise<void> {
  const { userId, id, email } = session
  await requireGoodPassword(next, email)
  const currentHash = await requirePassword(context, session, current, address)
  const nextHash = await hashPassword(next)
  const revoked = await transaction(context.db, async (trx) => {
    if ((await lockUser(trx, userId))?.passwordHash !== currentHash) throw passwordRefused()
    await updatePassword(trx, userId, nextHash)
    const sessionsEnded = await deleteSessionsOf(trx, userId, id)
    await confirmSession(trx, userId, id)
    await deleteSetUpLinkOf(trx, userId)
    await record(context, trx, {
      action: 'password.changed',
      subjectId: userId,
      userId,
      after: { sessionsEnded },
    })
    return revokes ? revokeAccessIn(context, trx, userId) : undefined
  })
  if (revoked !== undefined) await finishRevoking(context, revoked)
}

async function requirePassword(
  context: Context,
  { email, userId }: Session,
  password: string,
  address: string,
): Promise<string | null> {
  const user = await findPassword(context.db, email)
  const passwordHash = user?.passwordHash ?? null
  const isProven = await provePassword(context, { userId, email, password, passwordHash, address })
  if (!isProven) throw passwordRefused()
  return passwordHash
}

function passwordRefused(): UserError {
  return new UserError(PASSWORD_REFUSED, 401)
}
