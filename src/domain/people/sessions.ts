import { transaction, type Database } from '../../database/connection.js'
import {
  renewSession,
  deleteSession,
  deleteSessionsOf,
  useSession,
  type NewSession,
  type Session,
} from '../../database/people/sessions.js'
import { hasSecondFactor } from '../../database/people/second-factors/has-one.js'
import { deleteSetUpLinkOf } from '../../database/people/set-up-links.js'
import { storable } from '../../database/text.js'
import { findPassword, lockUser, updatePassword, type LockedUser } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { newToken, sha256 } from '../../secrets.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { hashPassword, requireGoodPassword } from './passwords.js'
import { provePasskey } from './second-factors/passkeys.js'
import { giveForCode } from './second-factors/prove-code.js'
import { finishRevoking, revokeAccessIn } from './revoke-access.js'
import { provePassword } from './sign-in-attempts.js'

export type { ListedSession, Session } from '../../database/people/sessions.js'

/** The text does not say which of the two is wrong. */
const CONFIRMATION_REFUSED =
  'Wrong password or code. Each code works only once, so wait for the next one. After several attempts, wait 15 minutes.'

export const PASSWORD_REFUSED = 'Wrong password. After several attempts, wait 15 minutes.'

/** A browser's usual header fits. A longer one would fill the list of sessions. */
const USER_AGENT_LENGTH = 200

/**
 * Makes the row of a new session, to be inserted in a transaction of the caller, and its token. The browser stores the
 * token; we store its hash.
 */
export function newSession(userId: string, userAgent: string): { token: string; row: NewSession } {
  const token = newToken()
  const shown = storable(userAgent.slice(0, USER_AGENT_LENGTH))
  return { token, row: { id: newId(), userId, tokenHash: sha256(token), userAgent: shown } }
}

/**
 * Finds the session of a token; undefined if it is unknown, ended, or was not used for 30 minutes.
 *
 * @param isUsed false if an open page asks automatically, which does not keep the session alive
 */
export async function findSession(
  { db }: Context,
  token: string,
  { isUsed = true } = {},
): Promise<Session | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined
  return useSession(db, sha256(token), isUsed)
}

/**
 * Ends a session, also to sign out.
 *
 * @throws UserError 404
 */
export async function endSession(context: Context, userId: string, id: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const isEnded = isId(id) && (await deleteSession(trx, userId, id))
    if (!isEnded) throw new UserError('No such session', 404)
    await record(context, trx, { action: 'session.ended', subjectId: id, userId })
  })
}

/**
 * Ends all of the user's sessions, or all but one.
 *
 * @returns their number
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

export interface Confirmation {
  password: string
  /** The code, for a user who has a second factor. */
  code: string
  /** The client's IP address. */
  address: string
}

/**
 * Makes the session confirmed for 10 minutes, and gives it a new token: the old one, if it was stolen, is not
 * confirmed (ASVS 5.0, 7.2.4).
 *
 * @returns the token for the browser; the old one no longer works
 * @throws UserError 401 PASSWORD_REFUSED or CONFIRMATION_REFUSED, which counts as an attempt to sign in; Unavailable
 */
export async function confirmPassword(
  context: Context,
  session: Session,
  { password, code, address }: Confirmation,
): Promise<string> {
  const { userId, hasSecondFactor } = session
  const refused = new UserError(hasSecondFactor ? CONFIRMATION_REFUSED : PASSWORD_REFUSED, 401)
  const passwordHash = await proveOwnPassword(context, session, password, address)
  if (passwordHash === undefined) throw refused
  const token = newToken()
  const confirm = async (trx: Database, user: LockedUser | undefined) => {
    // If the password was changed while we compared it, whoever knows only the old one would take over the session.
    if (user?.passwordHash !== passwordHash) throw refused
    await renew(trx, session, { isConfirmed: true }, token)
  }
  if (!hasSecondFactor)
    await transaction(context.db, async (trx) => confirm(trx, await lockUser(trx, userId)))
  else if (!(await giveForCode(context, { userId, code, address }, token, confirm))) throw refused
  return token
}

/**
 * Confirms with a passkey of the user, which counts as two factors by itself.
 *
 * @throws UserError 401 PASSKEY_REFUSED
 */
export async function confirmByPasskey(
  context: Context,
  { userId, id }: Session,
  proof: { browserToken: string; written: string },
): Promise<string> {
  await provePasskey(context, { ...proof, userId })
  return renew(context.db, { userId, id }, { isConfirmed: true })
}

/** @returns the new token */
async function renew(
  db: Database,
  { userId, id }: Pick<Session, 'userId' | 'id'>,
  { isConfirmed }: { isConfirmed: boolean },
  token = newToken(),
): Promise<string> {
  await renewSession(db, { userId, id, tokenHash: sha256(token), isConfirmed })
  return token
}

/**
 * Sets a new password. The current one is enough for that, even for a user with a second factor: this session was
 * opened with that factor, and the new password opens nothing without it.
 *
 * This also ends the user's other sessions, and removes an unused set-up link. This session continues under a new
 * token, which is returned for the browser. It is confirmed only if the user has no second factor: anyone who knows
 * only the password must not get access to what needs both.
 *
 * @param address the client's IP address
 * @param revokes true to end API tokens and applications' access too
 * @throws UserError 400 for the new password, 401 PASSWORD_REFUSED for the current one; Unavailable
 */
export async function changePassword(
  context: Context,
  session: Session,
  current: string,
  next: string,
  address: string,
  { revokes = false } = {},
): Promise<string> {
  const { userId, id, email } = session
  await requireGoodPassword(next, email, context.config.breachedPasswords)
  const currentHash = await proveOwnPassword(context, session, current, address)
  if (currentHash === undefined) throw passwordRefused()
  const nextHash = await hashPassword(next)
  const { token, revoked } = await transaction(context.db, async (trx) => {
    if ((await lockUser(trx, userId))?.passwordHash !== currentHash) throw passwordRefused()
    await updatePassword(trx, userId, nextHash)
    const sessionsEnded = await deleteSessionsOf(trx, userId, id)
    const isConfirmed = !(await hasSecondFactor(trx, userId))
    const token = await renew(trx, session, { isConfirmed })
    await deleteSetUpLinkOf(trx, userId)
    await record(context, trx, {
      action: 'password.changed',
      subjectId: userId,
      userId,
      after: { sessionsEnded },
    })
    return { token, revoked: revokes ? await revokeAccessIn(context, trx, userId) : undefined }
  })
  if (revoked !== undefined) await finishRevoking(context, revoked)
  return token
}

/** @returns its hash, or undefined if it is wrong */
async function proveOwnPassword(
  context: Context,
  { email, userId }: Session,
  password: string,
  address: string,
): Promise<string | undefined> {
  const passwordHash = (await findPassword(context.db, email))?.passwordHash ?? null
  const isProven = await provePassword(context, { userId, email, password, passwordHash, address })
  return isProven ? (passwordHash ?? undefined) : undefined
}

function passwordRefused(): UserError {
  return new UserError(PASSWORD_REFUSED, 401)
}
