import type { Database } from '../connection.js'
import { allOf, type Page } from '../lists.js'
import { HAS_SECOND_FACTOR } from './second-factors/has-one.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** An operator runs the service; a user only has lines. */
export type Role = 'user' | 'operator'

const FIELDS = {
  id: internal<string>('id'),
  email: internal<string>('email'),
  name: internal<string>('name'),
  role: internal<Role>('role'),
  /** False if the user has to set one before signing in. */
  hasPassword: internal<boolean>('password_hash is not null'),
  /** The time when the user was disabled; null for a user who is not. */
  disabledAt: internal<Date | null>('disabled_at'),
  /** The time when a disabled user's lines and applications were stopped; null if they continue. */
  stoppedAt: internal<Date | null>('stopped_at'),
}

export type User = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

export interface NewUser {
  id: string
  email: string
  name: string
  role: Role
  passwordHash?: string
}

/** @returns false if the address is taken */
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
  return db('users').where({ id }).first<User | undefined>(db.raw(COLUMNS))
}

export async function findUserByEmail(db: Database, email: string): Promise<User | undefined> {
  return db('users').whereRaw('lower(email) = lower(?)', [email]).first<User | undefined>(db.raw(COLUMNS))
}

export interface ListedUser extends User {
  hasSecondFactor: boolean
}

export interface UserFilter {
  /** A part of the address or of the name. */
  words?: string | undefined
  role?: Role | undefined
  state?: UserState | undefined
}

export type UserSort = 'newest' | 'email'

const STATE_IS = {
  active: 'u.disabled_at is null and u.password_hash is not null',
  waiting: 'u.disabled_at is null and u.password_hash is null',
  disabled: 'u.disabled_at is not null',
  'no-second-factor': `u.disabled_at is null and u.password_hash is not null and not (${HAS_SECOND_FACTOR})`,
} as const

export type UserState = keyof typeof STATE_IS
export const USER_STATES = Object.keys(STATE_IS) as UserState[]

/**
 * @param page if left out, all are listed, oldest first; `before` is the last one of the previous page, in either
 *   order
 */
export async function listUsers(
  db: Database,
  page?: Page,
  { words, role, state }: UserFilter = {},
  sort: UserSort = 'newest',
): Promise<ListedUser[]> {
  const query = db('users as u').select<ListedUser[]>([
    db.raw(COLUMNS),
    db.raw(`${HAS_SECOND_FACTOR} as "hasSecondFactor"`),
  ])
  const { sql, bindings } = matching({ words, role })
  void query.whereRaw(`true${sql}${state === undefined ? '' : ` and ${STATE_IS[state]}`}`, bindings)
  if (page === undefined) return query.orderBy('id')
  if (sort === 'email') {
    if (page.before !== undefined)
      void query.whereRaw('lower(u.email) > (select lower(email) from users where id = ?)', [page.before])
    return query.orderByRaw('lower(u.email)').limit(page.limit)
  }
  if (page.before !== undefined) void query.where('id', '<', page.before)
  return query.orderBy('id', 'desc').limit(page.limit)
}

/** Counts the users that match, of each state and in all. */
export async function countUsers(
  db: Database,
  { words, role }: Omit<UserFilter, 'state'>,
): Promise<Record<UserState | 'all', number>> {
  const { sql, bindings } = matching({ words, role })
  const ofStates = USER_STATES.map((state) => `count(*) filter (where ${STATE_IS[state]})::int as "${state}"`)
  const { rows } = await db.raw<{ rows: [Record<UserState | 'all', number>] }>(
    `select count(*)::int as "all", ${ofStates.join(', ')} from users u where true${sql}`,
    bindings,
  )
  return rows[0]
}

function matching({ words, role }: Omit<UserFilter, 'state'>) {
  return allOf([
    ["has_words(u.email || ' ' || u.name, ?)", words],
    ['u.role = ?', role],
  ])
}

export interface KnownPassword {
  userId: string
  email: string
  /** null if none was set yet. */
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

export interface LockedUser {
  passwordHash: string | null
  role: Role
  disabledAt: Date | null
}

/** Keeps others from changing the user, and from taking this lock, until the transaction ends. */
export async function lockUser(trx: Database, id: string): Promise<LockedUser | undefined> {
  return trx('users').where({ id }).forUpdate().first<LockedUser | undefined>({
    passwordHash: 'password_hash',
    role: 'role',
    disabledAt: 'disabled_at',
  })
}

/** @param options.stops true to stop what they own as well */
export async function disableUserRow(db: Database, id: string, { stops }: { stops: boolean }): Promise<void> {
  await db('users')
    .where({ id })
    .update({ disabled_at: db.fn.now(), stopped_at: stops ? db.fn.now() : null })
}

export async function enableUserRow(db: Database, id: string): Promise<void> {
  await db('users').where({ id }).update({ disabled_at: null, stopped_at: null })
}

export async function hasUsers(db: Database): Promise<boolean> {
  return (await db('users').first('id')) !== undefined
}

/** True if an operator can sign in; with an id, an operator other than this one. */
export async function hasOperatorWithPassword(db: Database, besides?: string): Promise<boolean> {
  const query = db('users').where({ role: 'operator', disabled_at: null }).whereNotNull('password_hash')
  if (besides !== undefined) void query.whereNot({ id: besides })
  return (await query.first('id')) !== undefined
}

/** Finds the operator who was added first, among those who have not set a password. */
export async function findWaitingOperator(db: Database): Promise<string | undefined> {
  const row = await db('users')
    .where({ role: 'operator', password_hash: null, disabled_at: null })
    .orderBy('id')
    .first<{ id: string } | undefined>('id')
  return row?.id
}

export async function updateRole(db: Database, id: string, role: Role): Promise<void> {
  await db('users').where({ id }).update({ role })
}
