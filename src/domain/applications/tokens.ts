import { transaction } from '../../database/connection.js'
import { endOAuthGrant } from '../../database/applications/oauth-records.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'

/**
 * Ends a grant and its tokens: the application revoked them, or a code or token was used too many times. The lines stay
 * connected; the user can authorize the application again.
 */
export async function endTokensOf({ db }: Context, grantHash: Buffer): Promise<void> {
  await transaction(db, async (trx) => {
    const grant = await endOAuthGrant(trx, grantHash)
    if (grant === undefined) return
    const { applicationId, userId } = grant
    const actor = { kind: 'application', userId, credentialId: applicationId, address: null } as const
    await record({ actor }, trx, {
      action: 'authorization.tokens_ended',
      subjectId: applicationId,
      userId,
    })
  })
}
