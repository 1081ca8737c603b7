import { transaction } from '../../database/connection.js'
import { deleteAttempt, insertAttempt, type AttemptLimits } from '../../database/people/sign-in-attempts.js'
import { newId } from '../../ids.js'
import { networkOf } from '../../network.js'
import { sha256 } from '../../secrets.js'
import { createSemaphore } from '../../kit/process/semaphore.js'
import { record, recordOnce } from '../operating/audit.js'
import type { Context } from '../context.js'
import { isPassword, passTimeOfACheck } from './passwords.js'

/**
 * The failed attempts allowed in 15 minutes. Behind one IP address there may be a guesser and many other people (an
 * office, or a proxy that is not configured). So when the IP address has used up its attempts, each account that
 * exists still gets a few more from there, and no user is kept out by guesses at other accounts. Accounts that do not
 * exist get none: otherwise a flood of invented ones would keep passwords from being checked at all.
 */
const LIMITS = { perAccount: 10, perAddress: 50, perAccountBeyond: 3 }

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
 * password is compared, and removed from the count if it was right. So concurrent guesses cannot all pass the limit.
 *
 * @throws Unavailable
 */
export async function provePassword(context: Context, proof: PasswordProof): Promise<boolean> {
  const { email, address, password, passwordHash } = proof
  const limits = { ...LIMITS, perAccountBeyond: passwordHash === null ? 0 : LIMITS.perAccountBeyond }
  const outcome = await tryOnce(context, { account: email.toLowerCase(), address, limits }, () =>
    isPassword(passwordHash, password),
  )
  if (outcome === 'wrong') await record(context, context.db, { action: 'sign_in.failed', ...whoseOf(proof) })
  if (outcome === 'locked_out') {
    // An immediate answer would reveal which accounts exist.
    await passTimeOfACheck()
    await recordOnce(context, { action: 'sign_in.locked_out', ...whoseOf(proof) }, LOCKED_OUT_MINUTES)
  }
  return outcome === 'right'
}

export interface Attempt {
  /** The subject of the guesses: they are counted for it, and for the address. */
  account: string
  /** The client's IP address. */
  address: string
  limits: AttemptLimits
}

/**
 * Tries something that can be guessed, if the account and the address may try at all.
 *
 * @throws Unavailable
 */
export async function tryOnce(
  { db }: Pick<Context, 'db'>,
  { account, address, limits }: Attempt,
  check: () => Promise<boolean>,
): Promise<'right' | 'wrong' | 'locked_out'> {
  const attempt = { id: newId(), accountHash: sha256(account), addressHash: sha256(networkOf(address)) }
  if (!(await limited(() => transaction(db, (trx) => insertAttempt(trx, attempt, limits)))))
    return 'locked_out'
  let isRight: boolean | undefined
  try {
    isRight = await check()
    return isRight ? 'right' : 'wrong'
  } finally {
    // An attempt that could not be compared was not a guess either.
    if (isRight !== false) await deleteAttempt(db, attempt.id)
  }
}

/** The email address of an unknown user is not recorded, because people type passwords into the wrong field. */
function whoseOf({ userId }: PasswordProof) {
  return { subjectId: userId, userId }
}
