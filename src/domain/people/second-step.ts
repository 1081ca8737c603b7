import { transaction, type Database } from '../../database/connection.js'
import {
  findHalfOpenSession,
  takeHalfOpenSession,
  type HalfOpenSession,
} from '../../database/people/half-open-sessions.js'
import { hasPasskey } from '../../database/people/second-factors/passkeys.js'
import type { NewSession } from '../../database/people/sessions.js'
import { lockUser, type LockedUser } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { sha256 } from '../../secrets.js'
import { openSession } from './begin-session.js'
import type { Context } from '../context.js'
import { PASSKEY_REFUSED, provePasskey } from './second-factors/passkeys.js'
import { giveForCode } from './second-factors/prove-code.js'
import { newSession } from './sessions.js'

export type { HalfOpenSession } from '../../database/people/half-open-sessions.js'

/** The text is the same for a wrong code, a used one, and too many attempts. */
export const CODE_REFUSED =
  'The code is wrong or was already used. Each code works only once, so wait for the next one. After several attempts, wait 15 minutes.'

export const STEP_IS_OVER = 'This took more than 10 minutes. Sign in again.'

/**
 * Finds the half-open session of a browser that has given the password; undefined if it has not, or more than 10
 * minutes ago.
 */
export async function findHalfOpen({ db }: Context, token: string): Promise<HalfOpenSession | undefined> {
  return findHalfOpenSession(db, sha256(token))
}

export interface SecondStep {
  halfOpen: HalfOpenSession
  /** A code of the authenticator app, or a recovery code. */
  code: string
  /** The client's IP address. */
  address: string
  userAgent: string
}

/**
 * Completes the session.
 *
 * @returns its new token
 * @throws UserError 401 CODE_REFUSED or STEP_IS_OVER; Unavailable
 */
export async function completeSignIn(context: Context, step: SecondStep): Promise<{ token: string }> {
  const { halfOpen, code, address, userAgent } = step
  const { userId } = halfOpen
  const { token, row } = newSession(userId, userAgent)
  const isGiven = await giveForCode(context, { userId, code, address }, token, (trx, user) =>
    finish(context, trx, { halfOpen, user, row }),
  )
  if (!isGiven) throw new UserError(CODE_REFUSED, 401)
  return { token }
}

export interface PasskeySignIn {
  /** undefined if the passkey replaces the password too. */
  halfOpen: HalfOpenSession | undefined
  browserToken: string
  /** The browser's answer, as JSON. */
  written: string
  userAgent: string
}

/**
 * Signs in by a passkey, in place of the password or after it.
 *
 * @throws UserError 401 PASSKEY_REFUSED or STEP_IS_OVER
 */
export async function signInByPasskey(context: Context, signIn: PasskeySignIn): Promise<{ token: string }> {
  const { halfOpen, userAgent, ...proof } = signIn
  const { id, userId } = await provePasskey(context, { ...proof, userId: halfOpen?.userId })
  const { token, row } = newSession(userId, userAgent)
  await transaction(context.db, async (trx) => {
    const user = await lockUser(trx, userId)
    if (halfOpen !== undefined) return finish(context, trx, { halfOpen, user, row })
    const isThere = user?.disabledAt === null
    // If the passkey was removed meanwhile, as of a lost device, the session would outlive those that ended with it.
    if (!isThere || !(await hasPasskey(trx, userId, id))) throw new UserError(PASSKEY_REFUSED, 401)
    return openSession(context, trx, row)
  })
  return { token }
}

async function finish(
  context: Context,
  trx: Database,
  step: { halfOpen: HalfOpenSession; user: LockedUser | undefined; row: NewSession },
): Promise<void> {
  const { halfOpen, user, row } = step
  // If the password has been changed or the user disabled in the meantime, the half-open session has ended.
  const isThere = user?.disabledAt === null
  if (!isThere || !(await takeHalfOpenSession(trx, halfOpen.id))) throw new UserError(STEP_IS_OVER, 401)
  await openSession(context, trx, row)
}
