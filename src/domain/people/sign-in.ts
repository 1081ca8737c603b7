import { transaction } from '../../database/connection.js'
import { storable } from '../../database/text.js'
import { findPassword, lockUser } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { record } from '../operating/audit.js'
import { beginSession, type BegunSession } from './begin-session.js'
import type { Context } from '../context.js'
import { provePassword } from './sign-in-attempts.js'

/**
 * The text is the same for a wrong password, an unknown user and too many attempts, so that it does not reveal which
 * users exist.
 */
export const SIGN_IN_REFUSED = 'Wrong email or password. After several attempts, wait 15 minutes.'

export const ACCOUNT_DISABLED = 'This account is disabled. Contact your operator.'

export interface Credentials {
  email: string
  password: string
  /** The client's IP address. */
  address: string
  userAgent: string
}

/**
 * Starts a session, or a half-open one for a user with a second factor.
 *
 * @throws UserError 401 SIGN_IN_REFUSED, 403 ACCOUNT_DISABLED; Unavailable
 */
export async function signIn(context: Context, credentials: Credentials): Promise<BegunSession> {
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
  const begun = await transaction(db, async (trx) => {
    // If the password was changed while we compared it, a session opened with the old one would outlive those that the
    // change ends.
    const locked = await lockUser(trx, userId)
    if (locked?.passwordHash !== user.passwordHash) throw signInRefused()
    if (locked.disabledAt !== null) return undefined
    return beginSession(context, trx, userId, credentials.userAgent)
  })
  if (begun === undefined) {
    const after = { reason: 'the account is disabled' }
    await record(context, db, { action: 'sign_in.failed', subjectId: userId, userId, after })
    // Only someone who knows the password may find this out.
    throw new UserError(ACCOUNT_DISABLED, 403)
  }
  return begun
}

function signInRefused(): UserError {
  return new UserError(SIGN_IN_REFUSED, 401)
}
