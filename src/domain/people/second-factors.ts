import type { Config } from '../../config.js'
import { transaction } from '../../database/connection.js'
import { hasSecondFactor } from '../../database/people/second-factors/has-one.js'
import { listPasskeys, type Passkey } from '../../database/people/second-factors/passkeys.js'
import { countRecoveryCodes } from '../../database/people/second-factors/recovery-codes.js'
import { findTotpSecret } from '../../database/people/second-factors/totp-secrets.js'
import { lockUser } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { replaceRecoveryCodes } from './second-factors/recovery-codes.js'
import { removeAll } from './second-factors/remove-all.js'
import type { Session } from './sessions.js'
import { getUser } from './users.js'

/**
 * True if a user has to set up a second factor before anything else is available. This applies to all pages, not only
 * those for operators: otherwise, an operator's password alone would be enough to make API tokens and rename lines.
 */
export function mustSetUpSecondFactor(
  { config }: { config: Pick<Config, 'requireSecondFactor'> },
  { role, hasSecondFactor, portalLineIds }: Pick<Session, 'role' | 'hasSecondFactor' | 'portalLineIds'>,
): boolean {
  const { requireSecondFactor } = config
  // A portal session was opened without a password, and gives access to nothing that a second factor guards.
  if (portalLineIds !== undefined) return false
  if (hasSecondFactor || requireSecondFactor === 'off') return false
  return requireSecondFactor === 'everybody' || role === 'operator'
}

export interface SecondFactors {
  /** undefined if there is none that counts. */
  app: { confirmedAt: Date; lastUsedAt: Date | null } | undefined
  /** The passkeys, oldest first. */
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

/**
 * Makes ten new codes; the previous ones no longer count.
 *
 * @throws UserError 409 for a user without a second factor
 */
export function makeRecoveryCodes(context: Context, userId: string): Promise<string[]> {
  return transaction(context.db, async (trx) => {
    await lockUser(trx, userId)
    if (!(await hasSecondFactor(trx, userId))) {
      throw new UserError('Set up a second factor before you create recovery codes', 409)
    }
    await record(context, trx, { action: 'second_factor.recovery_codes_made', subjectId: userId, userId })
    return replaceRecoveryCodes(trx, userId)
  })
}

/**
 * For the command line: removes all second factors of a user who has lost them. From then on, the password is enough,
 * unless a second factor is required: in that case, they set up a new one first. In the console two operators do it
 * (`second-factors/lost.ts`).
 *
 * @returns false if there was none
 * @throws UserError 404
 */
export async function removeSecondFactors(context: Context, userId: string): Promise<boolean> {
  const user = await getUser(context, userId)
  return transaction(context.db, async (trx) => {
    await lockUser(trx, userId)
    return removeAll(context, trx, user)
  })
}
