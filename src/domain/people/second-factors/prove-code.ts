import { transaction, type Database } from '../../../database/connection.js'
import {
  countRecoveryCodes,
  takeRecoveryCode,
} from '../../../database/people/second-factors/recovery-codes.js'
import { placeOf } from '../../../database/operating/sealed-columns.js'
import { lockTotpSecret, noteTotpStep } from '../../../database/people/second-factors/totp-secrets.js'
import { useSession } from '../../../database/people/sessions.js'
import { lockUser, type LockedUser } from '../../../database/people/users.js'
import { Unavailable } from '../../../errors.js'
import { sha256 } from '../../../secrets.js'
import { record, recordOnce } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { LOCKED_OUT_MINUTES, tryOnce } from '../sign-in-attempts.js'
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
 * Gives a session this token, if the code that is needed for it may be tried and is right. A right one works only once,
 * and is used in the same transaction: if Postgres goes away before the end, the code still works. If only the answer
 * to the commit is lost, the session shows that the code was not used for nothing.
 *
 * @param give gets the user, who stays locked; what it throws leaves the code unused
 * @returns false if the code is refused
 * @throws Unavailable, and the errors of `give`
 */
export async function giveForCode(
  context: Context,
  { userId, code, address }: CodeProof,
  token: string,
  give: (trx: Database, user: LockedUser | undefined) => Promise<void>,
): Promise<boolean> {
  const { db } = context
  const whose = { subjectId: userId, userId }
  const attempt = { account: `second factor of ${userId}`, address, limits: LIMITS }
  const outcome = await tryOnce(context, attempt, async () => {
    try {
      return await transaction(db, async (trx) => {
        // Whoever changes a second factor locks the user first, too.
        const user = await lockUser(trx, userId)
        const isRight = await useCode(context, trx, userId, code)
        if (isRight) await give(trx, user)
        return isRight
      })
    } catch (error) {
      const isGiven =
        error instanceof Unavailable && (await useSession(db, sha256(token), false)) !== undefined
      if (!isGiven) throw error
      return true
    }
  })
  if (outcome === 'wrong') await record(context, db, { action: 'second_factor.refused', ...whose })
  if (outcome === 'locked_out') {
    await recordOnce(context, { action: 'second_factor.locked_out', ...whose }, LOCKED_OUT_MINUTES)
  }
  return outcome === 'right'
}

function useCode(context: Context, trx: Database, userId: string, written: string): Promise<boolean> {
  const code = written.replace(/\s/g, '')
  return /^\d{6}$/.test(code)
    ? useAppCode(context, trx, userId, code)
    : useRecoveryCode(context, trx, userId, written)
}

async function useAppCode(
  { secrets }: Context,
  trx: Database,
  userId: string,
  code: string,
): Promise<boolean> {
  const known = await lockTotpSecret(trx, userId)
  if (known === undefined || known.confirmedAt === null) return false
  const step = findStep(secrets.open(known.secretSealed, placeOf('totpSecret', userId)), code, known.nowMs)
  if (step === undefined || step <= known.lastStep) return false
  await noteTotpStep(trx, userId, step)
  return true
}

async function useRecoveryCode(
  context: Context,
  trx: Database,
  userId: string,
  written: string,
): Promise<boolean> {
  if (!(await takeRecoveryCode(trx, userId, hashOfCode(written)))) return false
  await record(context, trx, {
    action: 'second_factor.recovery_code_used',
    subjectId: userId,
    userId,
    after: { codesLeft: await countRecoveryCodes(trx, userId) },
  })
  return true
}
