import { transaction, type Database } from '../database/connection.js'
import { insertSession, type NewSession } from '../database/sessions.js'
import { storable } from '../database/text.js'
import { findPassword, lockUser } from '../database/users.js'
import { UserError } from '../errors.js'
import { record } from './audit.js'
import type { Context } from './context.js'
import { newSession } from './sessions.js'
import { provePassword } from './sign-in-attempts.js'

/** One text for a wrong password, an unknown user and too many attempts, so that it does not tell which users exist. */
export const SIGN_IN_REFUSED = 'E-mail or password is wrong. After several attempts wait 15 minutes.'

export const ACCOUNT_DISABLED = 'This account is disabled: ask whoever runs this service.'

export interface Credentials {
  email: string
  password: string
  /** The client's IP address. */
  address: string
  userAgent: string
}

/**
 * Starts a session.
 *
 * @returns its token, which the browser keeps
 * @throws UserError 401 SIGN_IN_REFUSED, 403 ACCOUNT_DISABLED; Unavailable
 */
export async function signIn(context: Context, credentials: Credentials): Promise<{ token: string }> {
  const { db } = context
  const email = storable(credentials.email).trim()
  const user = await findPassword(db, email)
  const isProven = await provePassword(context, {
    userId: user?.userId ?? null,
    // The address as it is stored: Postgres and JavaScript do not agree on every letter's lower case.
    email: user?.email ?? email,
    password: credentials.password,
    passwordHash: user?.passwordHash ?? null,
    address: credentials.address,
  })
  if (user === undefined || !isProven) throw signInRefused()

  const { userId } = user
  const { token, row } = newSession(userId, credentials.userAgent)
  const isDisabled = await transaction(db, async (trx) => {
    // If the password was changed while we compared it, a session by the old one would outlive those that the change ends.
    const locked = await lockUser(trx, userId)
    if (locked?.passwordHash !== user.passwordHash) throw signInRefused()
    if (locked.disabledAt !== null) return true
    await insertSession(trx, row)
    await recordSignIn(context, trx, row)
    return false
  })
  if (isDisabled) {
    const after = { reason: 'the account is disabled' }
    await record(context, db, { action: 'sign_in.failed', subjectId: userId, userId, after })
    // Only who knows the password is told.
    throw new UserError(ACCOUNT_DISABLED, 403)
  }
  return { token }
}

/** From here on it is the user who acts, in the session that begins. */
export async function recordSignIn(
  context: Context,
  trx: Database,
  { id, userId, userAgent }: NewSession,
): Promise<void> {
  const { address } = context.actor
  const actor = { kind: 'user', userId, credentialId: id, address } as const
  await record({ actor }, trx, {
    action: 'sign_in.succeeded',
    subjectId: id,
    userId,
    after: { browser: userAgent },
  })
}

function signInRefused(): UserError {
  return new UserError(SIGN_IN_REFUSED, 401)
}
