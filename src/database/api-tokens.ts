import type { Database } from './connection.js'

export interface ApiToken {
  id: string
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

const columns = { id: 'id', name: 'name', createdAt: 'created_at', lastUsedAt: 'last_used_at' }

export async function insertApiToken(
  db: Database,
  token: { id: string; userId: string; name: string; tokenHash: Buffer },
): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ createdAt: Date }] }>(
    `insert into api_tokens (id, user_id, name, token_hash) values (:id, :userId, :name, :tokenHash)
     returning created_at as "createdAt"`,
    token,
  )
  return rows[0].createdAt
}

export async function countApiTokens(db: Database, userId: string): Promise<number> {
  const row = await db('api_tokens')
    .where({ user_id: userId })
    .first<{ count: number }>(db.raw('count(*)::int as count'))
  return row.count
}

/** Newest first. `lastUsedAt` is right to the minute. */
export async function listApiTokens(db: Database, userId: string): Promise<ApiToken[]> {
  return db('api_tokens').where({ user_id: userId }).select<ApiToken[]>(columns).orderBy('id', 'desc')
}

/** @returns its name; undefined: the user has no such token */
export async function deleteApiToken(db: Database, userId: string, id: string): Promise<string | undefined> {
  const [deleted] = await db('api_tokens')
    .where({ user_id: userId, id })
    .delete()
    .returning<{ name: string }[]>('name')
  return deleted?.name
}

/** Notes the use at most once a minute: most requests of a busy token only read. */
export async function useApiToken(
  db: Database,
  tokenHash: Buffer,
): Promise<{ tokenId: string; userId: string } | undefined> {
  const { rows } = await db.raw<{ rows: { tokenId: string; userId: string }[] }>(
    `with used as (
       update api_tokens set last_used_at = now()
       where token_hash = :tokenHash and (last_used_at is null or last_used_at < now() - interval '1 minute')
     )
     select id as "tokenId", user_id as "userId" from api_tokens where token_hash = :tokenHash`,
    { tokenHash },
  )
  return rows[0]
}
