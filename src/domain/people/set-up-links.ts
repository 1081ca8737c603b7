import { transaction, type Database } from '../../database/connection.js'
import { deleteSessionsOf } from '../../database/people/sessions.js'
import {
  findSetUpLinkOwner,
  lockFirstOperator,
  replaceSetUpLink,
  takeSetUpLink,
  type LinkLifetime,
  type SetUpLinkOwner,
} from '../../database/people/set-up-links.js'
import {
  findWaitingOperator,
  hasOperatorWithPassword,
  insertUser,
  lockUser,
  updatePassword,
  type NewUser,
} from '../../database/people/users.js'
import { LinkExpired, UserError } from '../../errors.js'
import { newToken, sha256 } from '../../secrets.js'
import { record } from '../operating/audit.js'
import { beginSession, type BegunSession } from './begin-session.js'
import type { Context } from '../context.js'
import { hashPassword, requireGoodPassword } from './passwords.js'
import { finishRevoking, revokeAccessIn } from './revoke-access.js'
import { getUser, newUser, recordAdded, takenEmail } from './users.js'

export interface SetUpLink {
  url: string
  /** When the link expires: in 7 days, or in an hour. */
  expiresAt: Date
}

export interface SetUpFields {
  /** Only the first operator enters these: other users have them already. */
  email?: string
  name?: string
  password: string
  userAgent: string
  /** True to end API tokens and applications' access too, as well as the sessions. */
  revokes?: boolean
}

/**
 * Makes a link that can be used once, to set a password. It replaces the link that the user had before.
 *
 * @param userId null for a link that makes the first operator's account
 * @throws UserError 404, 409 for a disabled user
 */
export async function createSetUpLink(
  context: Context,
  userId: string | null,
  { lifetime = '7 days' }: { lifetime?: LinkLifetime } = {},
): Promise<SetUpLink> {
  const user = userId === null ? undefined : await getUser(context, userId)
  const token = newToken()
  const expiresAt = await transaction(context.db, async (trx) => {
    // Who disables the user holds this lock, and deletes the links that there are.
    if (user !== undefined && (await lockUser(trx, user.id))?.disabledAt !== null) {
      throw new UserError(`${user.email} is disabled. Enable the account first`, 409)
    }
    await record(context, trx, { action: 'user.set_up_link.created', subjectId: userId, userId })
    return replaceSetUpLink(trx, userId, sha256(token), lifetime)
  })
  return { url: `${context.config.publicUrl}/console/set-up?token=${token}`, expiresAt }
}

/**
 * While no operator can sign in, makes a link for the operator who was added first; if there is none, the link creates
 * one.
 *
 * @returns undefined if an operator can sign in
 */
export async function createFirstSetUpLink(context: Context): Promise<SetUpLink | undefined> {
  if (await hasOperatorWithPassword(context.db)) return undefined
  const waitingId = await findWaitingOperator(context.db)
  return createSetUpLink(context, waitingId ?? null)
}

/** @returns undefined if the link is unknown, used up, too old, or for a first operator although there is one */
export async function findSetUpLink({ db }: Context, token: string): Promise<SetUpLinkOwner | undefined> {
  const owner = await findSetUpLinkOwner(db, sha256(token))
  return owner?.userId === null && (await hasOperatorWithPassword(db)) ? undefined : owner
}

/**
 * Sets the password, ends the existing sessions, and starts one: a half-open one for a user with a second factor,
 * because the person with the link may not be the account's owner.
 *
 * @throws UserError 400 for a field, 404 for a link that is used up, 409 for a taken address; Unavailable
 */
export async function completeSetUp(
  context: Context,
  token: string,
  fields: SetUpFields,
): Promise<BegunSession> {
  const { db } = context
  const owner = await findSetUpLink(context, token)
  if (owner === undefined) throw new LinkExpired()
  const account =
    owner.userId === null
      ? newUser({ ...fields, email: fields.email ?? '', role: 'operator' })
      : { id: owner.userId, email: owner.email }
  await requireGoodPassword(fields.password, account.email, context.config.breachedPasswords)
  const passwordHash = await hashPassword(fields.password)
  const { begun, revoked } = await transaction(db, async (trx) => {
    if ('role' in account) await makeFirstOperator(context, trx, { ...account, passwordHash })
    else await replacePassword(context, trx, account.id, passwordHash)
    if (!(await takeSetUpLink(trx, sha256(token)))) throw new LinkExpired()
    const revoked = fields.revokes === true ? await revokeAccessIn(context, trx, account.id) : undefined
    return { begun: await beginSession(context, trx, account.id, fields.userAgent), revoked }
  })
  if (revoked !== undefined) await finishRevoking(context, revoked)
  return begun
}

async function makeFirstOperator(context: Context, trx: Database, operator: NewUser): Promise<void> {
  await lockFirstOperator(trx)
  if (await hasOperatorWithPassword(trx)) throw new LinkExpired()
  if (!(await insertUser(trx, operator))) throw takenEmail(operator.email)
  await recordAdded(context, trx, operator)
}

async function replacePassword(
  context: Context,
  trx: Database,
  userId: string,
  passwordHash: string,
): Promise<void> {
  if ((await lockUser(trx, userId))?.disabledAt !== null) throw new LinkExpired()
  await updatePassword(trx, userId, passwordHash)
  const sessionsEnded = await deleteSessionsOf(trx, userId)
  await record(context, trx, { action: 'password.set', subjectId: userId, userId, after: { sessionsEnded } })
}
