import { countApiTokens, deleteApiToken, insertApiToken, useApiToken } from '../database/api-tokens.js'
import { transaction } from '../database/connection.js'
import { lockUser } from '../database/users.js'
import { UserError } from '../errors.js'
import { isId, newId } from '../ids.js'
import { newToken, sha256 } from '../secrets.js'
import { record } from './audit.js'
import type { Context } from './context.js'
import { MAX_NAME_LENGTH, readName } from './names.js'

export type { ApiToken } from '../database/api-tokens.js'

/** Nobody has so many programs. The page shows all tokens, and a program that makes tokens in a loop is stopped. */
const MAX_TOKENS = 100
/** So that a scanner which comes upon a leaked token knows what it is. */
const PREFIX = 'lhp_'
const FORM = /^lhp_[\w-]{43}$/

/**
 * A token with which a user's programs call the API. It is told this once: only its hash is kept.
 *
 * @throws UserError 400 for the name, 404 for the user, 409 when the user is disabled or has 100 tokens
 */
export async function createApiToken(
  context: Context,
  userId: string,
  name: string,
): Promise<{ id: string; name: string; token: string; createdAt: Date }> {
  const kept = readName(name, `name must be 1 to ${MAX_NAME_LENGTH} characters: say what will use the token`)
  if (!isId(userId)) throw noUser()
  const created = { id: newId(), name: kept, token: PREFIX + newToken() }
  const createdAt = await transaction(context.db, async (trx) => {
    const user = await lockUser(trx, userId)
    if (user === undefined) throw noUser()
    if (user.disabledAt !== null) {
      throw new UserError('this user is disabled, and can have no new API token', 409)
    }
    if ((await countApiTokens(trx, userId)) >= MAX_TOKENS) {
      throw new UserError(`a user can have ${MAX_TOKENS} API tokens: revoke one that is not used`, 409)
    }
    await record(context, trx, {
      action: 'api_token.created',
      subjectId: created.id,
      userId,
      after: { name: kept },
    })
    return insertApiToken(trx, { id: created.id, userId, name: kept, tokenHash: sha256(created.token) })
  })
  return { ...created, createdAt }
}

/** Requests with the token are refused from now on. @throws UserError 404 */
export async function removeApiToken(context: Context, userId: string, id: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const name = isId(id) ? await deleteApiToken(trx, userId, id) : undefined
    if (name === undefined) throw new UserError('no such API token', 404)
    await record(context, trx, { action: 'api_token.revoked', subjectId: id, userId, before: { name } })
  })
}

/** Whose token a request came with. undefined: it is nobody's. */
export async function findTokenOwner(
  { db }: Context,
  token: string,
): Promise<{ userId: string; tokenId: string } | undefined> {
  if (!FORM.test(token)) return undefined
  return useApiToken(db, sha256(token))
}

function noUser(): UserError {
  return new UserError('no such user', 404)
}
