import type { Config } from '../config.js'
import { transaction } from '../database/connection.js'
import { hasSecondFactor } from '../database/second-factors/has-one.js'
import { deletePasskeysOf, listPasskeys, type Passkey } from '../database/second-factors/passkeys.js'
import { countRecoveryCodes, deleteRecoveryCodes } from '../database/second-factors/recovery-codes.js'
import { deleteTotpSecret, findTotpSecret } from '../database/second-factors/totp-secrets.js'
import { deleteHalfOpenSessionsOf } from '../database/sessions.js'
import { lockUser } from '../database/users.js'
import { UserError } from '../errors.js'
import { record } from './audit.js'
import type { Context } from './context.js'
import { replaceRecoveryCodes } from './second-factors/recovery-codes.js'
import type { Session } from './sessions.js'

/**
 * Whether somebody has to set up a second factor before anything else opens to them. Everything, and not only what operators
 * see: who has an operator's password and no more could make API tokens and rename lines else.
 */
export function mustSetUpSecondFactor(
  { config }: { config: Pick<Config, 'requireSecondFactor'> },
  { role, hasSecondFactor }: Pick<Session, 'role' | 'hasSecondFactor'>,
): boolean {
  const { requireSecondFactor } = config
  if (hasSecondFactor || requireSecondFactor === 'off') return false
  return requireSecondFactor === 'everybody' || role === 'operator'
}

export interface SecondFactors {
  /** undefined: none that counts. */
  app: { confirmedAt: Date; lastUsedAt: Date | null } | undefined
  /** Oldest first. */
  passkeys: Passkey[]
  recoveryCodeCount: number
}

export async function findSecondFactors({ db }: Context, userId: string): Promise<SecondFactors> {
  const { confirmedAt = null, lastUsedAt = null } = (await findTotpSecret(db, userId)) ?? {}
  return {
    app: confirmedAt === null ? undefined : { confirmedAt, lastUsedAt },
    passkeys: await listPasskeys(db, userId),
    recoveryCodeCount: await countRecoveryCodes(db, userId),
  }
}

/** Ten new ones; the ones before count no more. @throws UserError 409 for who has no second factor */
export function makeRecoveryCodes(context: Context, userId: string): Promise<string[]> {
  return transaction(context.db, async (trx) => {
    await lockUser(trx, userId)
    if (!(await hasSecondFactor(trx, userId))) {
      throw new UserError('recovery codes are for who has a second factor: set one up first', 409)
    }
    await record(context, trx, { action: 'second_factor.recovery_codes_made', subjectId: userId, userId })
    return replaceRecoveryCodes(trx, userId)
  })
}

/**
 * For operators: takes away what a user has beside the password, who has lost it all. From then on the password is enough,
 * unless a second factor is required: then they set up a new one first.
 *
 * @returns false when there was none
 * @throws UserError 404
 */
export function removeSecondFactors(context: Context, userId: string): Promise<boolean> {
  return transaction(context.db, async (trx) => {
    if ((await lockUser(trx, userId)) === undefined) throw new UserError('no such user', 404)
    const had = await hasSecondFactor(trx, userId)
    await deleteTotpSecret(trx, userId)
    await deletePasskeysOf(trx, userId)
    await deleteRecoveryCodes(trx, userId)
    await deleteHalfOpenSessionsOf(trx, userId)
    if (had) {
      await record(context, trx, {
        action: 'second_factor.removed',
        subjectId: userId,
        userId,
        after: { kind: 'all' },
      })
    }
    return had
  })
}
