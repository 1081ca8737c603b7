import {
  countApiTokens,
  deleteApiToken,
  insertApiToken,
  useApiToken,
  type TokenScope,
  type UsedToken,
} from '../../database/people/api-tokens.js'
import { transaction } from '../../database/connection.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { newToken, sha256 } from '../../secrets.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { getOwnLine } from '../lines/lines.js'
import { MAX_NAME_LENGTH, readName } from '../names.js'
import { requireUser } from './users.js'

export type { ApiToken, TokenScope } from '../../database/people/api-tokens.js'

/** Nobody needs more in practice. The page shows all tokens, and a program that creates tokens in a loop is stopped. */
const MAX_TOKENS = 100
/**
 * The prefixes let a scanner that finds a leaked token know what it is. A token that may not do everything has another
 * prefix: a release that does not know scopes yet, but still runs beside this one, refuses it.
 */
const PREFIX = { all: 'lhp_', scoped: 'lhs_' }
const FORM = /^lh[ps]_[\w-]{43}$/

/** The choices in the console. The command line takes any number of days up to the maximum. */
export const EXPIRY_DAYS = [30, 90, 365] as const
export const MAX_EXPIRY_DAYS = 3650

export interface TokenOptions extends Partial<TokenScope> {
  /** If left out or null, it never expires. */
  expiresInDays?: number | null
}

export interface CreatedApiToken extends TokenScope {
  id: string
  name: string
  token: string
  createdAt: Date
  expiresAt: Date | null
}

/**
 * Makes a token with which a user's programs call the API. It is returned only once, because only its hash is stored.
 *
 * @throws UserError 400 for a field, 404 for the user and the line, 409 if the user is disabled or has 100 tokens
 */
export async function createApiToken(
  context: Context,
  userId: string,
  name: string,
  { expiresInDays = null, isReadOnly = false, lineId = null }: TokenOptions = {},
): Promise<CreatedApiToken> {
  const kept = readName(name, `name must have 1 to ${MAX_NAME_LENGTH} characters. Say what the token is for`)
  requireExpiry(expiresInDays)
  const scope = { isReadOnly, lineId }
  const isScoped = isReadOnly || lineId !== null
  const created = { id: newId(), name: kept, token: PREFIX[isScoped ? 'scoped' : 'all'] + newToken() }
  const times = await transaction(context.db, async (trx) => {
    const { disabledAt } = await requireUser(trx, userId)
    if (disabledAt !== null) {
      throw new UserError('This user is disabled and cannot get a new API token', 409)
    }
    if ((await countApiTokens(trx, userId)) >= MAX_TOKENS) {
      throw new UserError(`You can have up to ${MAX_TOKENS} API tokens. Revoke one you no longer use`, 409)
    }
    if (lineId !== null) await getOwnLine({ db: trx }, userId, lineId)
    const tokenHash = sha256(created.token)
    const times = await insertApiToken(trx, {
      id: created.id,
      userId,
      name: kept,
      tokenHash,
      expiresInDays,
      ...scope,
    })
    await record(context, trx, {
      action: 'api_token.created',
      subjectId: created.id,
      userId,
      // Only restrictions are recorded.
      after: {
        name: kept,
        ...(times.expiresAt === null ? {} : { expiresAt: times.expiresAt.toISOString() }),
        ...(isReadOnly ? { isReadOnly } : {}),
        ...(lineId === null ? {} : { lineId }),
      },
    })
    return times
  })
  return { ...created, ...times, ...scope }
}

/**
 * Removes a token; requests with it are then refused.
 *
 * @throws UserError 404
 */
export async function removeApiToken(context: Context, userId: string, id: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const name = isId(id) ? await deleteApiToken(trx, userId, id) : undefined
    if (name === undefined) throw new UserError('No such API token', 404)
    await record(context, trx, { action: 'api_token.revoked', subjectId: id, userId, before: { name } })
  })
}

/** Finds the user whose token a request has; undefined if it is not valid. */
export async function findTokenOwner({ db }: Context, token: string): Promise<UsedToken | undefined> {
  if (!FORM.test(token)) return undefined
  return useApiToken(db, sha256(token))
}

function requireExpiry(days: number | null): void {
  if (days === null || (Number.isInteger(days) && days >= 1 && days <= MAX_EXPIRY_DAYS)) return
  throw new UserError(`expiresInDays must be a whole number from 1 to ${MAX_EXPIRY_DAYS}`)
}
