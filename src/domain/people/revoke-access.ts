import { deleteApiTokensOf } from '../../database/people/api-tokens.js'
import { transaction, type Database } from '../../database/connection.js'
import { endOAuthGrantsOfUser } from '../../database/applications/oauth-records.js'
import { record } from '../operating/audit.js'
import {
  endAllAuthorizations,
  finishEnding,
  type EndedAuthorizations,
} from '../applications/authorizations.js'
import type { Context } from '../context.js'
import { requireUser } from './users.js'

/** The access to a user's data that was revoked. */
export interface RevokedAccess {
  apiTokenCount: number
  applicationCount: number
}

/**
 * Every API token of the user is deleted, and every application loses the user's lines and its tokens. This removes
 * everything that a stranger may have left behind after getting into the account.
 *
 * @throws UserError 404
 */
export async function revokeAccess(context: Context, userId: string): Promise<RevokedAccess> {
  const revoked = await transaction(context.db, async (trx) => {
    await requireUser(trx, userId)
    return revokeAccessIn(context, trx, userId)
  })
  return finishRevoking(context, revoked)
}

export interface Revoking {
  apiTokens: string[]
  authorizations: EndedAuthorizations[]
}

/** Does what `revokeAccess` does, in a transaction that holds the user's lock. `finishRevoking` comes after it. */
export async function revokeAccessIn(
  context: Pick<Context, 'actor'>,
  trx: Database,
  userId: string,
): Promise<Revoking> {
  const apiTokens = await deleteApiTokensOf(trx, userId)
  const authorizations = await endAllAuthorizations(trx, userId)
  await endOAuthGrantsOfUser(trx, userId)
  if (apiTokens.length + authorizations.length > 0) {
    await record(context, trx, {
      action: 'access.revoked',
      subjectId: userId,
      userId,
      after: { apiTokens, applications: authorizations.map(({ applicationId }) => applicationId) },
    })
  }
  return { apiTokens, authorizations }
}

export async function finishRevoking(
  context: Context,
  { apiTokens, authorizations }: Revoking,
): Promise<RevokedAccess> {
  await finishEnding(context, authorizations)
  return { apiTokenCount: apiTokens.length, applicationCount: authorizations.length }
}
