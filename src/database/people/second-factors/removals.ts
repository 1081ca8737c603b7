import type { Database } from '../../connection.js'
import { columnsOf, internal, type Row } from '../../../shape.js'

/** This is long enough for someone who is asleep, and short enough that people still remember which operator asked. */
const LIFETIME = `interval '24 hours'`

const FIELDS = {
  id: internal<string>('r.id'),
  userId: internal<string>('r.user_id'),
  askedBy: internal<string>('r.asked_by'),
  /** The address of the operator who requested it. */
  askedByEmail: internal<string>('u.email'),
  reason: internal<string>('r.reason'),
  askedAt: internal<Date>('r.asked_at'),
  /** After this time it can no longer be confirmed. */
  endsAt: internal<Date>(`r.asked_at + ${LIFETIME}`),
}

export type AskedRemoval = Row<typeof FIELDS>

const ALIVE = `r.asked_at > now() - ${LIFETIME}`

/** Finds it only while the person who asked is still an operator who may. */
export async function findRemoval(db: Database, userId: string): Promise<AskedRemoval | undefined> {
  return db('second_factor_removals as r')
    .join('users as u', 'u.id', 'r.asked_by')
    .where({ 'r.user_id': userId, 'u.role': 'operator', 'u.disabled_at': null })
    .whereRaw(ALIVE)
    .first<AskedRemoval | undefined>(db.raw(columnsOf(FIELDS)))
}

/** Replaces a request that is over; the caller holds the lock of the user. */
export async function replaceRemoval(
  trx: Database,
  { id, userId, askedBy, reason }: Pick<AskedRemoval, 'id' | 'userId' | 'askedBy' | 'reason'>,
): Promise<void> {
  await deleteRemoval(trx, userId)
  await trx('second_factor_removals').insert({ id, user_id: userId, asked_by: askedBy, reason })
}

export async function deleteRemoval(db: Database, userId: string): Promise<void> {
  await db('second_factor_removals').where({ user_id: userId }).delete()
}

export async function deleteExpiredRemovals(db: Database): Promise<number> {
  return db('second_factor_removals as r').whereRaw(`not (${ALIVE})`).delete()
}

/** True if an operator who can sign in is neither of these. */
export async function hasOperatorBesides(db: Database, userIds: readonly string[]): Promise<boolean> {
  const found = db('users')
    .where({ role: 'operator', disabled_at: null })
    .whereNotNull('password_hash')
    .whereNotIn('id', [...userIds])
  return (await found.first('id')) !== undefined
}

/**
 * True if somebody made this user's account, or a link that sets its password, within this many days: then that person
 * may be this one. Anything done on the server has no actor.
 */
export async function wasGivenAccess(db: Database, userId: string, days: number): Promise<boolean> {
  const found = db('audit_log')
    .whereIn('action', ['user.added', 'user.set_up_link.created'])
    .where({ subject_id: userId })
    .whereNotNull('actor_id')
    .whereRaw('id >= lowest_id_at(now() - make_interval(days => ?))', [days])
  return (await found.first('id')) !== undefined
}
