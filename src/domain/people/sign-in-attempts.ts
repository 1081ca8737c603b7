import { transaction } from '../../database/connection.js'
import { deleteAttempt, insertAttempt, type AttemptLimits } from '../../database/people/sign-in-attempts.js'
import { Unavailable } from '../../errors.js'
import { newId } from '../../ids.js'
import { networkOf } from '../../network.js'
import { sha256 } from '../../secrets.js'
import { createSemaphore } from '../../kit/process/semaphore.js'
import { record, recordOnce } from '../operating/audit.js'
import type { Context } from '../context.js'
import { isPassword, passTimeOfACheck } from './passwords.js'

/**
 * The failed attempts allowed in 15 minutes. One IP address may be shared by an attacker and many other people (an
 * office, or a proxy that is not configured). So when the IP address has used up its attempts, each account still gets
 * a few more from there, and no user is locked out by guesses at other accounts. Accounts that do not exist get as
 * many: otherwise the time of an answer would reveal which ones exist.
 */
const LIMITS = { perAccount: 10, perAddress: 50, perAccountBeyond: 3 }

/**
 * The attempts of addresses that have used up theirs are compared one at a time altogether: otherwise a flood of
 * invented accounts would keep the passwords of everybody else from being checked.
 */
const limitedBeyond = createSemaphore({
  atOnce: 1,
  maxWaiting: 20,
  busy: 'Too many passwords are being checked right now',
})

/** An attempt counts for this long. */
export const LOCKED_OUT_MINUTES = 15

/**
 * Attempts wait for each other's locks: many together would use up all connections to Postgres. Those that wait have
 * their turn within seconds.
 */
const limited = createSemaphore({
  atOnce: 3,
  maxWaiting: 200,
  busy: 'Too many people are signing in right now',
})

/** A password from a user, and the hash to compare it with. */
export interface PasswordProof {
  /** null if there is no such user. */
  userId: string | null
  email: string
  password: string
  /** null if there is no such user, or one without a password. */
  passwordHash: string | null
  /** The client's IP address. */
  address: string
}

/**
 * True if a password is right, and the account and the address may try at all. The attempt is counted before the
 * password is compared, and removed from the count if it was right. So concurrent guesses cannot all get past the
 * limit.
 *
 * @throws Unavailable
 */
export async function provePassword(context: Context, proof: PasswordProof): Promise<boolean> {
  const { email, address, password, passwordHash } = proof
  const check = () => isPassword(passwordHash, password)
  const attempt = { account: email.toLowerCase(), address, limits: LIMITS }
  let counted = { isBeyond: false }
  const outcome = await tryOnce(context, attempt, (found) => {
    counted = found
    return found.isBeyond ? limitedBeyond(check) : check()
  })
  if (outcome === 'right') return true
  const isLockedOut = outcome === 'locked_out'
  const act = { action: isLockedOut ? 'sign_in.locked_out' : 'sign_in.failed', ...whoseOf(proof) } as const
  const isOnce = isLockedOut || (counted.isBeyond && proof.userId === null)
  await Promise.all([
    isOnce ? recordOnce(context, act, LOCKED_OUT_MINUTES) : record(context, context.db, act),
    // An immediate answer would reveal which accounts exist, and so would the time of a row that is written only for them.
    isLockedOut || counted.isBeyond ? passTimeOfACheck() : undefined,
  ])
  return false
}

export interface Attempt {
  /** What is being guessed: attempts are counted for it, and for the address. */
  account: string
  /** The client's IP address. */
  address: string
  limits: AttemptLimits
}

/**
 * Tries something that can be guessed, if the account and the address may try at all.
 *
 * @param check gets `isBeyond`: the address has used up its own attempts
 * @throws Unavailable
 */
export async function tryOnce(
  { db }: Pick<Context, 'db'>,
  { account, address, limits }: Attempt,
  check: (counted: { isBeyond: boolean }) => Promise<boolean>,
): Promise<'right' | 'wrong' | 'locked_out'> {
  const attempt = { id: newId(), accountHash: sha256(account), addressHash: sha256(networkOf(address)) }
  const counted = await limited(() => transaction(db, (trx) => insertAttempt(trx, attempt, limits)))
  if (counted === undefined) return 'locked_out'
  let isRight: boolean | undefined
  try {
    isRight = await check(counted)
    return isRight ? 'right' : 'wrong'
  } finally {
    // An attempt that could not be checked was not a guess.
    if (isRight === undefined) await deleteAttempt(db, attempt.id)
    // A code that was right is used up: better an attempt that counts for a while than a code that was used for nothing.
    if (isRight === true) await deleteAttempt(db, attempt.id).catch(unlessUnavailable)
  }
}

function unlessUnavailable(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error
}

/** The email address of an unknown user is not recorded, because people type passwords into the wrong field. */
function whoseOf({ userId }: PasswordProof) {
  return { subjectId: userId, userId }
}
