import type { Database } from '../connection.js'
import { countOf } from '../lists.js'
import { runNamed } from '../named-statement.js'
import { columnsOf, internal, type Row } from '../../shape.js'

const FIELDS = {
  id: internal<string>('t.id'),
  name: internal<string>('t.name'),
  createdAt: internal<Date>('t.created_at'),
  lastUsedAt: internal<Date | null>('t.last_used_at'),
  /** null if it never expires. */
  expiresAt: internal<Date | null>('t.expires_at'),
  isExpired: internal<boolean>('coalesce(t.expires_at <= now(), false)'),
  isReadOnly: internal<boolean>('t.is_read_only'),
  /** The line that it is for; null for everything that the user has. */
  lineId: internal<string | null>('t.line_id'),
  lineName: internal<string | null>('l.name'),
}

export type ApiToken = Row<typeof FIELDS>

export interface TokenScope {
  isReadOnly: boolean
  lineId: string | null
}

export interface NewApiToken extends TokenScope {
  id: string
  userId: string
  name: string
  tokenHash: Buffer
  /** null if it never expires. */
  expiresInDays: number | null
}

export async function insertApiToken(
  db: Database,
  token: NewApiToken,
): Promise<{ createdAt: Date; expiresAt: Date | null }> {
  const { rows } = await db.raw<{ rows: [{ createdAt: Date; expiresAt: Date | null }] }>(
    `insert into api_tokens (id, user_id, name, token_hash, is_read_only, line_id, expires_at)
     values (:id, :userId, :name, :tokenHash, :isReadOnly, :lineId, now() + make_interval(days => :expiresInDays))
     returning created_at as "createdAt", expires_at as "expiresAt"`,
    { ...token },
  )
  return rows[0]
}

export async function countApiTokens(db: Database, userId: string): Promise<number> {
  return countOf(db, 'api_tokens where user_id = ?', [userId])
}

/** Lists the newest first. `lastUsedAt` is accurate to the minute. */
export async function listApiTokens(db: Database, userId: string): Promise<ApiToken[]> {
  return db('api_tokens as t')
    .leftJoin('lines as l', 'l.id', 't.line_id')
    .where({ 't.user_id': userId })
    .select<ApiToken[]>(db.raw(columnsOf(FIELDS)))
    .orderBy('t.id', 'desc')
}

/** @returns their names */
export async function deleteApiTokensOf(db: Database, userId: string): Promise<string[]> {
  const deleted = await db('api_tokens')
    .where({ user_id: userId })
    .delete()
    .returning<{ name: string }[]>('name')
  return deleted.map(({ name }) => name)
}

/** @returns its name, or undefined if the user has no such token */
export async function deleteApiToken(db: Database, userId: string, id: string): Promise<string | undefined> {
  const [deleted] = await db('api_tokens')
    .where({ user_id: userId, id })
    .delete()
    .returning<{ name: string }[]>('name')
  return deleted?.name
}

/** Until then, its owner can see that it has expired, and which program needs a new one. */
export async function deleteLongExpiredTokens(db: Database): Promise<number> {
  return db('api_tokens').whereRaw(`expires_at < now() - interval '30 days'`).delete()
}

export interface UsedToken extends TokenScope {
  tokenId: string
  userId: string
}

/**
 * Finds neither the token of a disabled user nor an expired one. Records the use at most once a minute: most requests
 * of a busy token only read.
 *
 * Every request of /v1 calls it. As a named statement it takes two thirds of the time that it took before it looked at
 * the user, when Postgres planned it each time (measured: 0.73 ms, 1.02 ms).
 */
export async function useApiToken(db: Database, tokenHash: Buffer): Promise<UsedToken | undefined> {
  const [row] = await runNamed<UsedToken>(
    db,
    'use_api_token',
    `with found as (
       select t.id, t.user_id, t.is_read_only, t.line_id from api_tokens t
       join users u on u.id = t.user_id and u.disabled_at is null
       where t.token_hash = decode(?, 'hex') and (t.expires_at is null or t.expires_at > now())
     ), used as (
       update api_tokens t set last_used_at = now() from found f
       where t.id = f.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
     )
     select id as "tokenId", user_id as "userId", is_read_only as "isReadOnly", line_id as "lineId" from found`,
    [tokenHash.toString('hex')],
  )
  return row
}
