import { available } from '../database/connection.js'
import { findUserByEmail, insertUser, type User } from '../database/users.js'
import { storable } from '../database/text.js'
import { UserError } from '../errors.js'
import { newId } from '../ids.js'
import type { Context } from './context.js'

/** @throws UserError 400 for a bad address, 409 for a taken one */
export async function addUser({ db }: Context, fields: { email: string; name?: string }): Promise<User> {
  const email = fields.email.trim()
  if (!/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) || email.length > 254) {
    throw new UserError('email must be an e-mail address, such as ada@example.com')
  }
  const name = storable(fields.name ?? '').trim()
  const user = await available(() => insertUser(db, { id: newId(), email, name: name === '' ? email : name }))
  if (user === undefined) throw new UserError(`email ${email} belongs to a user already`, 409)
  return user
}

/** @throws UserError 404 */
export async function getUserByEmail({ db }: Context, email: string): Promise<User> {
  const user = await available(() => findUserByEmail(db, email.trim()))
  if (user === undefined)
    throw new UserError(`no user has the email ${email}: add one with \`linehook user add\``, 404)
  return user
}
