import ipaddr from 'ipaddr.js'
import { available, transaction } from '../database/connection.js'
import { deleteAttempt, insertAttempt } from '../database/sign-in-attempts.js'
import { newId } from '../ids.js'
import { sha256 } from '../secrets.js'
import type { Context } from './context.js'
import { isPassword } from './passwords.js'

/** Attempts in 15 minutes that have not succeeded. */
const LIMITS = { perAccount: 10, perAddress: 50 }

/** A password that somebody gave, and what it is compared with. */
export interface PasswordProof {
  email: string
  password: string
  /** null: there is no such user, or one without a password. */
  passwordHash: string | null
  /** The client's IP address. */
  address: string
}

/**
 * Whether a password is right, if the account and the address may try at all. The attempt counts before anything
 * is compared, and no longer when it succeeded: guesses made at the same moment cannot pass together.
 *
 * @throws Unavailable
 */
export async function provePassword({ db }: Context, proof: PasswordProof): Promise<boolean> {
  const attempt = {
    id: newId(),
    accountHash: sha256(proof.email.toLowerCase()),
    addressHash: sha256(networkOf(proof.address)),
  }
  const mayTry = await available(() => transaction(db, (trx) => insertAttempt(trx, attempt, LIMITS)))
  if (!mayTry) return false
  let isRight: boolean | undefined
  try {
    isRight = await isPassword(proof.passwordHash, proof.password)
    return isRight
  } finally {
    // Also when it could not be compared: that was no guess.
    if (isRight !== false) await available(() => deleteAttempt(db, attempt.id))
  }
}

/** A customer's share of IPv6 is a /64 at least: each of its addresses is the same somebody. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
