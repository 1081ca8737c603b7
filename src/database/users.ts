import type { Database } from './connection.js'

/** An operator runs the service; a user only has lines. */
export type Role = 'user' | 'operator'

export interface User {
  id: string
  email: string
  name: string
  role: Role
  /** Without one the user cannot sign in yet. */
  hasPassword: boolean
}

export interface NewUser {
  id: string
  email: string
  name: string
  role: Role
  passwordHash?: string
}

const columns = (db: Database) => [
  { id: 'id', email: 'email', name: 'name', role: 'role' },
  db.raw('password_hash is not null as "hasPassword"'),
]

/** @returns false when the address is taken */
export async function insertUser(db: Database, user: NewUser): Promise<boolean> {
  const { passwordHash = null, ...fields } = user
  const inserted = await db('users')
    .insert({ ...fields, password_hash: passwordHash })
    .onConflict(db.raw('(lower(email))'))
    .ignore()
    .returning('id')
  return inserted.length > 0
}

export async function findUser(db: Database, id: string): Promise<User | undefined> {
  return db('users').where({ id }).first<User | undefined>(columns(db))
}

export async function findUserByEmail(db: Database, email: string): Promise<User | undefined> {
  return db('users').whereRaw('lower(email) = lower(?)', [email]).first<User | undefined>(columns(db))
}

/** Everybody, oldest first. */
export async function listUsers(db: Database): Promise<User[]> {
  return db('users').select<User[]>(columns(db)).orderBy('id')
}

export interface KnownPassword {
  userId: string
  email: string
  /** null: none was set yet. */
  passwordHash: string | null
}

export async function findPassword(db: Database, email: string): Promise<KnownPassword | undefined> {
  return db('users')
    .whereRaw('lower(email) = lower(?)', [email])
    .first<KnownPassword | undefined>({ userId: 'id', email: 'email', passwordHash: 'password_hash' })
}

export async function updatePassword(db: Database, id: string, passwordHash: string): Promise<void> {
  await db('users').where({ id }).update({ password_hash: passwordHash })
}

/** Until the transaction ends, nobody else changes the user, nor what asks for this lock. */
export async function lockUser(
  trx: Database,
  id: string,
): Promise<{ passwordHash: string | null } | undefined> {
  return trx('users')
    .where({ id })
    .forUpdate()
    .first<{ passwordHash: string | null } | undefined>({ passwordHash: 'password_hash' })
}

export async function hasUsers(db: Database): Promise<boolean> {
  return (await db('users').first('id')) !== undefined
}

/** Whether somebody can sign in who runs the service. */
export async function hasOperatorWithPassword(db: Database): Promise<boolean> {
  return (
    (await db('users').where({ role: 'operator' }).whereNotNull('password_hash').first('id')) !== undefined
  )
}

/** The operator who was added first, of those who have not set a password. */
export async function findWaitingOperator(db: Database): Promise<string | undefined> {
  const row = await db('users')
    .where({ role: 'operator', password_hash: null })
    .orderBy('id')
    .first<{ id: string } | undefined>('id')
  return row?.id
}

export async function updateRole(db: Database, id: string, role: Role): Promise<void> {
  await db('users').where({ id }).update({ role })
}
