import type { Database } from '../../../database/connection.js'
import { hasSecondFactor } from '../../../database/people/second-factors/has-one.js'
import { deletePasskeysOf } from '../../../database/people/second-factors/passkeys.js'
import { deleteRecoveryCodes } from '../../../database/people/second-factors/recovery-codes.js'
import { deleteRemoval } from '../../../database/people/second-factors/removals.js'
import { deleteTotpSecret } from '../../../database/people/second-factors/totp-secrets.js'
import { deleteSessionsOf } from '../../../database/people/sessions.js'
import type { AuditDetails } from '../../operating/audit.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { notifyOfAccountChange } from '../../operating/notices/insert.js'

/**
 * Removes all second factors of a user, and ends the sessions, because the lost device may have one of them. The user
 * and the operators are notified. The caller holds the lock of the user.
 *
 * @returns false if there was none
 */
export async function removeAll(
  context: Context,
  trx: Database,
  user: { id: string; email: string },
  about: AuditDetails = {},
): Promise<boolean> {
  const had = await hasSecondFactor(trx, user.id)
  await deleteTotpSecret(trx, user.id)
  await deletePasskeysOf(trx, user.id)
  await deleteRecoveryCodes(trx, user.id)
  await deleteRemoval(trx, user.id)
  const sessionsEnded = await deleteSessionsOf(trx, user.id)
  if (!had) return false
  await record(context, trx, {
    action: 'second_factor.removed',
    subjectId: user.id,
    userId: user.id,
    after: { kind: 'all', sessionsEnded, ...about },
  })
  await notifyOfAccountChange(context, trx, {
    kind: 'second_factor.removed',
    user,
    details: { userId: user.id, email: user.email },
  })
  return true
}
