import type { Context } from '../../../src/domain/context.js'
import { hashPassword } from '../../../src/domain/people/passwords.js'
import { addUser, type Role, type User } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { createSetUpLink } from '../../../src/domain/people/set-up-links.js'
import { changeRows } from '../fixtures.js'

export type Person = User

export const PASSWORD = 'correct horse battery'

const hashes = new Map<string, Promise<string>>()

/** Hashing takes its time, as it should: each password is hashed once, however many people of a test have it. */
function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, hash)
  return hash
}

/** A user who can sign in, with PASSWORD, or one who has not set a password yet. */
export async function createPerson(
  context: Context,
  { role = 'user', password = PASSWORD }: { role?: Role; password?: string | null } = {},
): Promise<Person> {
  const user = await addUser(context, { email: `${newId()}@example.com`, name: 'Ada', role })
  if (password === null) return user
  await changeRows(context, 'users', user.id, { password_hash: await hashOf(password) })
  return { ...user, hasPassword: true }
}

/** The token in a new set-up link: of this user, or of nobody in particular. */
export async function linkTokenFor(context: Context, userId: string | null): Promise<string> {
  return tokenIn((await createSetUpLink(context, userId)).url)
}

export const tokenIn = (url: string) => new URL(url).searchParams.get('token') ?? ''

/** Called in the body of a `describe`: a new user for each of its tests, and no attempts to sign in. */
export function personForEachTest(context: Context): Person {
  const person = {} as Person
  beforeEach(async () => {
    await context.db('sign_in_attempts').delete()
    Object.assign(person, await createPerson(context))
  })
  return person
}
