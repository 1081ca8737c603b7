import type { Database } from './connection.js'

export interface User {
  id: string
  email: string
  name: string
}

const columns = { id: 'id', email: 'email', name: 'name' }

/** @returns undefined when the address is taken */
export async function insertUser(db: Database, user: User): Promise<User | undefined> {
  const inserted = await db('users')
    .insert(user)
    .onConflict(db.raw('(lower(email))'))
    .ignore()
    .returning('id')
  return inserted.length === 0 ? undefined : user
}

export async function findUserByEmail(db: Database, email: string): Promise<User | undefined> {
  return db<User>('users').whereRaw('lower(email) = lower(?)', [email]).first(columns)
}

export async function hasUsers(db: Database): Promise<boolean> {
  return (await db('users').first('id')) !== undefined
}
