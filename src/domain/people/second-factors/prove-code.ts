import { transaction } from '../../../database/connection.js'
import {
  countRecoveryCodes,
  takeRecoveryCode,
} from '../../../database/people/second-factors/recovery-codes.js'
import { lockTotpSecret, noteTotpStep } from '../../../database/people/second-factors/totp-secrets.js'
import { record, recordOnce } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { LOCKED_OUT_MINUTES, tryOnce } from '../sign-in-attempts.js'
import { totpPlace } from './place.js'
import { hashOfCode } from './recovery-codes.js'
import { findStep } from './totp.js'

/**
 * The wrong codes allowed in 15 minutes. An attacker who guesses here has the password already, and a code of six
 * digits is one of a million of which three count: at this rate, a guess is right once in two years.
 */
const LIMITS = { perAccount: 5, perAddress: 50, perAccountBeyond: 3 }

export interface CodeProof {
  userId: string
  /** A code of the authenticator app or a recovery code, as it was typed. */
  code: string
  /** The client's IP address. */
  address: string
}

/**
 * True if a code may be tried and is right; a right one works only once.
 *
 * @throws Unavailable
 */
export async function proveCode(context: Context, { userId, code, address }: CodeProof): Promise<boolean> {
  const whose = { subjectId: userId, userId }
  const attempt = { account: `second factor of ${userId}`, address, limits: LIMITS }
  const outcome = await tryOnce(context, attempt, () => useCode(context, userId, code))
  if (outcome === 'wrong') await record(context, context.db, { action: 'second_factor.refused', ...whose })
  if (outcome === 'locked_out') {
    await recordOnce(context, { action: 'second_factor.locked_out', ...whose }, LOCKED_OUT_MINUTES)
  }
  return outcome === 'right'
}

function useCode(context: Context, userId: string, written: string): Promise<boolean> {
  const code = written.replace(/\s/g, '')
  return /^\d{6}$/.test(code) ? useAppCode(context, userId, code) : useRecoveryCode(context, userId, written)
}

function useAppCode({ db, secrets }: Context, userId: string, code: string): Promise<boolean> {
  return transaction(db, async (trx) => {
    const known = await lockTotpSecret(trx, userId)
    if (known === undefined || known.confirmedAt === null) return false
    const step = findStep(secrets.open(known.secretSealed, totpPlace(userId)), code, known.nowMs)
    if (step === undefined || step <= known.lastStep) return false
    await noteTotpStep(trx, userId, step)
    return true
  })
}

function useRecoveryCode(context: Context, userId: string, written: string): Promise<boolean> {
  return transaction(context.db, async (trx) => {
    if (!(await takeRecoveryCode(trx, userId, hashOfCode(written)))) return false
    await record(context, trx, {
      action: 'second_factor.recovery_code_used',
      subjectId: userId,
      userId,
      after: { codesLeft: await countRecoveryCodes(trx, userId) },
    })
    return true
  })
}
