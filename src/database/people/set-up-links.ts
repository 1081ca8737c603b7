import type { Database } from '../connection.js'

/** The user that a link is for; nulls mean the person who creates the first operator's account. */
export type SetUpLinkOwner = { hasPassword: boolean } & (
  | { userId: string; email: string; name: string }
  | { userId: null; email: null; name: null }
)

const FIRST_OPERATOR_LOCK = 'first operator'

/** A link that an operator hands over may wait; one that a user requested is used immediately. */
export type LinkLifetime = '7 days' | 'an hour'

const INTERVALS: Record<LinkLifetime, string> = { '7 days': '7 days', 'an hour': '1 hour' }

/**
 * Replaces the user's earlier link.
 *
 * @returns the time until which the new one is valid
 */
export async function replaceSetUpLink(
  db: Database,
  userId: string | null,
  tokenHash: Buffer,
  lifetime: LinkLifetime,
): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ expiresAt: Date }] }>(
    `with replaced as (delete from set_up_links where user_id is null and cast(:userId as uuid) is null)
     insert into set_up_links (token_hash, user_id, expires_at)
     values (:tokenHash, :userId, now() + :lasting::interval)
     on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
     returning expires_at as "expiresAt"`,
    { userId, tokenHash, lasting: INTERVALS[lifetime] },
  )
  return rows[0].expiresAt
}

export async function findSetUpLinkOwner(
  db: Database,
  tokenHash: Buffer,
): Promise<SetUpLinkOwner | undefined> {
  return db('set_up_links as s')
    .leftJoin('users as u', 'u.id', 's.user_id')
    .where({ 's.token_hash': tokenHash })
    .whereRaw('s.expires_at > now()')
    .first<SetUpLinkOwner | undefined>(
      's.user_id as userId',
      'u.email',
      'u.name',
      db.raw('u.password_hash is not null as "hasPassword"'),
    )
}

/** @returns false if it is used up, replaced or too old */
export async function takeSetUpLink(trx: Database, tokenHash: Buffer): Promise<boolean> {
  const taken = await trx('set_up_links')
    .where({ token_hash: tokenHash })
    .whereRaw('expires_at > now()')
    .delete()
  return taken > 0
}

export async function deleteSetUpLinkOf(db: Database, userId: string): Promise<void> {
  await db('set_up_links').where({ user_id: userId }).delete()
}

/** Keeps others from making the first operator until the transaction ends. */
export async function lockFirstOperator(trx: Database): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [FIRST_OPERATOR_LOCK])
}

export async function deleteExpiredSetUpLinks(db: Database): Promise<number> {
  return db('set_up_links').whereRaw('expires_at < now()').delete()
}
