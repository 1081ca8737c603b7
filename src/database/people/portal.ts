import type { Database } from '../connection.js'
import { HAS_SECOND_FACTOR } from './second-factors/has-one.js'
import type { Session } from './sessions.js'

export interface NewPortalLink {
  tokenHash: Buffer
  userId: string
  lineIds: readonly string[]
  expiresInSeconds: number
  sessionSeconds: number
}

/** The target of the link. */
export interface PortalLink {
  userId: string
  lineIds: string[]
  sessionSeconds: number
}

const LINK = ['user_id as userId', 'line_ids as lineIds', 'session_seconds as sessionSeconds']

/** @returns the time until which it can be opened */
export async function insertPortalLink(db: Database, link: NewPortalLink): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ expiresAt: Date }] }>(
    `insert into portal_links (token_hash, user_id, line_ids, session_seconds, expires_at)
     values (:tokenHash, :userId, :lineIds, :sessionSeconds, now() + make_interval(secs => :expiresInSeconds))
     returning expires_at as "expiresAt"`,
    { ...link, lineIds: [...link.lineIds] },
  )
  return rows[0].expiresAt
}

export async function findPortalLinkRow(db: Database, tokenHash: Buffer): Promise<PortalLink | undefined> {
  return db('portal_links')
    .where({ token_hash: tokenHash })
    .whereRaw('expires_at > now()')
    .first<PortalLink | undefined>(LINK)
}

/** @returns undefined if it is used up or too old */
export async function takePortalLink(trx: Database, tokenHash: Buffer): Promise<PortalLink | undefined> {
  const [link] = await trx('portal_links')
    .where({ token_hash: tokenHash })
    .whereRaw('expires_at > now()')
    .delete()
    .returning<PortalLink[]>(LINK)
  return link
}

export async function insertPortalSession(
  trx: Database,
  { id, tokenHash, userId, lineIds, sessionSeconds }: PortalLink & { id: string; tokenHash: Buffer },
): Promise<void> {
  await trx('portal_sessions').insert({
    id,
    token_hash: tokenHash,
    user_id: userId,
    line_ids: lineIds,
    expires_at: trx.raw('now() + make_interval(secs => ?)', [sessionSeconds]),
  })
}

/**
 * Does not find the session if its user has become an operator since. Nothing that asks for the password is available
 * in it.
 */
export async function findPortalSessionRow(db: Database, tokenHash: Buffer): Promise<Session | undefined> {
  const { rows } = await db.raw<{ rows: Session[] }>(
    `select s.id, u.id as "userId", u.email, u.name, u.role, s.created_at as "createdAt",
       false as "isConfirmed", ${HAS_SECOND_FACTOR} as "hasSecondFactor", s.line_ids as "portalLineIds"
     from portal_sessions s
     join users u on u.id = s.user_id and u.disabled_at is null and u.role = 'user'
     where s.token_hash = ? and s.expires_at > now()`,
    [tokenHash],
  )
  return rows[0]
}

/** @returns undefined if there is none */
export async function deletePortalSession(
  trx: Database,
  tokenHash: Buffer,
): Promise<{ id: string; userId: string } | undefined> {
  const [ended] = await trx('portal_sessions')
    .where({ token_hash: tokenHash })
    .delete()
    .returning<{ id: string; userId: string }[]>(['id', 'user_id as userId'])
  return ended
}

export async function deleteExpiredPortalAccess(db: Database): Promise<number> {
  const links = await db('portal_links').whereRaw('expires_at < now()').delete()
  return links + (await db('portal_sessions').whereRaw('expires_at < now()').delete())
}
