import { transaction, type Database } from '../../database/connection.js'
import { storable } from '../../database/text.js'
import {
  findUser,
  findUserByEmail,
  insertUser,
  lockUser,
  type LockedUser,
  type NewUser,
  type Role,
  type User,
} from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { MAX_NAME_LENGTH, readOptionalName } from '../names.js'

export type { Role, User } from '../../database/people/users.js'

/** @throws UserError 400 for a bad address or name, 409 for a taken address */
export async function addUser(
  context: Context,
  fields: { email: string; name?: string; role?: Role },
): Promise<User> {
  const user = newUser(fields)
  await transaction(context.db, async (trx) => {
    if (!(await insertUser(trx, user))) throw takenEmail(user.email)
    await recordAdded(context, trx, user)
  })
  return { ...user, hasPassword: false, disabledAt: null, stoppedAt: null }
}

/**
 * Makes the row of a new user.
 *
 * @throws UserError 400
 */
export function newUser(fields: { email: string; name?: string; role?: Role }): NewUser {
  const email = fields.email.trim()
  if (!/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) || email.length > 254 || !email.isWellFormed()) {
    throw new UserError('email must be an email address, such as ada@example.com')
  }
  const name = readOptionalName(fields.name, `name must have at most ${MAX_NAME_LENGTH} characters`)
  return { id: newId(), email, name: name ?? email, role: fields.role ?? 'user' }
}

export async function recordAdded(
  context: Pick<Context, 'actor'>,
  trx: Database,
  { id, email, name, role }: NewUser,
): Promise<void> {
  await record(context, trx, {
    action: 'user.added',
    subjectId: id,
    userId: id,
    after: { email, name, role },
  })
}

export function takenEmail(email: string): UserError {
  return new UserError(`email ${email} already belongs to a user`, 409)
}

/** @throws UserError 404 */
export async function getUserByEmail({ db }: Context, email: string): Promise<User> {
  const user = await findUserByEmail(db, storable(email).trim())
  if (user === undefined)
    throw new UserError(`No user has the email ${email}. Add one with \`linehook user add\``, 404)
  return user
}

/**
 * Keeps others from changing the user until the transaction ends.
 *
 * @throws UserError 404
 */
export async function requireUser(trx: Database, id: string): Promise<LockedUser> {
  const user = isId(id) ? await lockUser(trx, id) : undefined
  if (user === undefined) throw noUser()
  return user
}

/** @throws UserError 404 */
export async function getUser({ db }: Context, id: string): Promise<User> {
  const user = isId(id) ? await findUser(db, id) : undefined
  if (user === undefined) throw noUser()
  return user
}

function noUser(): UserError {
  return new UserError('No such user', 404)
}
