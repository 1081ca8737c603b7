import type { Database } from '../connection.js'
import { HAS_SECOND_FACTOR } from './second-factors/has-one.js'
import type { Session } from './sessions.js'
import { columnsOf, internal, type Row } from '../../shape.js'

export interface NewPortalLink {
  tokenHash: Buffer
  userId: string
  lineIds: readonly string[]
  expiresInSeconds: number
  sessionSeconds: number
  /** The operator whose program makes it. */
  madeBy: string
}

/** The target of the link. */
const LINK_FIELDS = {
  userId: internal<string>('user_id'),
  lineIds: internal<string[]>('line_ids'),
  sessionSeconds: internal<number>('session_seconds'),
  madeBy: internal<string>('made_by'),
}

export type PortalLink = Row<typeof LINK_FIELDS>

const LINK = columnsOf(LINK_FIELDS)
/** Whatever an operator's program made ends with the operator's access. */
const IS_MAKER_OPERATOR = `exists (select from users maker
  where maker.id = made_by and maker.disabled_at is null and maker.role = 'operator')`

/** @returns the time until which it can be opened */
export async function insertPortalLink(db: Database, link: NewPortalLink): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ expiresAt: Date }] }>(
    `insert into portal_links (token_hash, user_id, line_ids, session_seconds, made_by, expires_at)
     values (:tokenHash, :userId, :lineIds, :sessionSeconds, :madeBy, now() + make_interval(secs => :expiresInSeconds))
     returning expires_at as "expiresAt"`,
    { ...link, lineIds: [...link.lineIds] },
  )
  return rows[0].expiresAt
}

export async function findPortalLinkRow(db: Database, tokenHash: Buffer): Promise<PortalLink | undefined> {
  return db('portal_links')
    .where({ token_hash: tokenHash })
    .whereRaw(`expires_at > now() and ${IS_MAKER_OPERATOR}`)
    .first<PortalLink | undefined>(db.raw(LINK))
}

/** @returns undefined if it is used up, too old, or its maker's access has ended */
export async function takePortalLink(trx: Database, tokenHash: Buffer): Promise<PortalLink | undefined> {
  const [link] = await trx('portal_links')
    .where({ token_hash: tokenHash })
    .whereRaw(`expires_at > now() and ${IS_MAKER_OPERATOR}`)
    .delete()
    .returning<PortalLink[]>(trx.raw(LINK))
  return link
}

export async function insertPortalSession(
  trx: Database,
  { id, tokenHash, userId, lineIds, sessionSeconds, madeBy }: PortalLink & { id: string; tokenHash: Buffer },
): Promise<void> {
  await trx('portal_sessions').insert({
    id,
    token_hash: tokenHash,
    user_id: userId,
    line_ids: lineIds,
    made_by: madeBy,
    expires_at: trx.raw('now() + make_interval(secs => ?)', [sessionSeconds]),
  })
}

/**
 * Does not find the session if its user has become an operator since, or its maker no longer is one. Nothing that asks
 * for the password is available in it.
 */
export async function findPortalSessionRow(db: Database, tokenHash: Buffer): Promise<Session | undefined> {
  const { rows } = await db.raw<{ rows: Session[] }>(
    `select s.id, u.id as "userId", u.email, u.name, u.role, s.created_at as "createdAt",
       false as "isConfirmed", ${HAS_SECOND_FACTOR} as "hasSecondFactor", s.line_ids as "portalLineIds", s.made_by as "portalMadeBy"
     from portal_sessions s
     join users u on u.id = s.user_id and u.disabled_at is null and u.role = 'user'
     where s.token_hash = ? and s.expires_at > now() and ${IS_MAKER_OPERATOR}`,
    [tokenHash],
  )
  return rows[0]
}

/** Says whether a portal link has opened it, even if it is over: until housekeeping deletes it. */
export async function wasPortalSession(db: Database, tokenHash: Buffer): Promise<boolean> {
  return (await db('portal_sessions').where({ token_hash: tokenHash }).first('id')) !== undefined
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
