import { listLinesOf } from '../../database/lines/lines.js'
import { transaction } from '../../database/connection.js'
import {
  deletePortalSession,
  findPortalLinkRow,
  findPortalSessionRow,
  insertPortalLink,
  insertPortalSession,
  takePortalLink,
  wasPortalSession,
} from '../../database/people/portal.js'
import { lockUser } from '../../database/people/users.js'
import { LinkExpired, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { newToken, sha256 } from '../../secrets.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import type { Session } from './sessions.js'
import { requireUser } from './users.js'

/** How many seconds a link can be opened, and how many the session that it opens lasts. */
export const LINK_SECONDS = { usual: 600, most: 3600 }
export const SESSION_SECONDS = { usual: 3600, most: 86_400 }

const TOKEN = /^[\w-]{43}$/

export interface PortalLinkFields {
  /** The default is all lines that the user has now. */
  lineIds?: readonly string[] | undefined
  expiresInSeconds?: number | undefined
  sessionSeconds?: number | undefined
}

/**
 * Makes a link that opens the pages of a user's lines, once, without a password. It is returned only once, because only
 * the hash of its token is stored. Actions with it are recorded as done with a link of the operator `madeBy`, and it
 * works only as long as that person is an operator.
 *
 * @throws UserError 400 for a line that is not the user's, 404 for the user, 409 for an operator or a disabled user
 */
export async function createPortalLink(
  context: Context,
  userId: string,
  madeBy: string,
  fields: PortalLinkFields = {},
): Promise<{ url: string; expiresAt: Date }> {
  const { expiresInSeconds = LINK_SECONDS.usual, sessionSeconds = SESSION_SECONDS.usual } = fields
  const token = newToken()
  const expiresAt = await transaction(context.db, async (trx) => {
    const user = await requireUser(trx, userId)
    if (user.role === 'operator') {
      throw new UserError(
        'This user is an operator. Portal links are only for users who are not operators',
        409,
      )
    }
    if (user.disabledAt !== null) throw new UserError('This user is disabled. Enable the account first', 409)
    const own = (await listLinesOf(trx, userId)).map(({ id }) => id)
    const lineIds = fields.lineIds === undefined ? own : readLineIds(fields.lineIds, own)
    if (lineIds.length === 0) throw new UserError('A portal link needs at least one line of the user')
    await record(context, trx, {
      action: 'portal_link.created',
      subjectId: userId,
      userId,
      after: { lineIds, expiresInSeconds, sessionSeconds },
    })
    const tokenHash = sha256(token)
    return insertPortalLink(trx, { tokenHash, userId, lineIds, expiresInSeconds, sessionSeconds, madeBy })
  })
  return { url: `${context.config.publicUrl}/console/portal?token=${token}`, expiresAt }
}

/** @throws UserError 400 */
function readLineIds(asked: readonly string[], own: readonly string[]): string[] {
  const ids = [...new Set(asked.map((id) => id.toLowerCase()))]
  const foreign = ids.find((id) => !own.includes(id))
  if (foreign !== undefined) throw new UserError(`lineIds: ${foreign} is not a line of this user. Remove it`)
  return ids
}

/** True if the link can still be opened. Checking does not use it up. */
export async function isPortalLink({ db }: Context, token: string): Promise<boolean> {
  return TOKEN.test(token) && (await findPortalLinkRow(db, sha256(token))) !== undefined
}

export interface OpenedPortal {
  /** The token that the browser stores. */
  token: string
  lineIds: string[]
}

/**
 * Begins the session that the link is for, and uses the link up.
 *
 * @throws UserError 404
 */
export async function openPortalLink(context: Context, linkToken: string): Promise<OpenedPortal> {
  const linkHash = sha256(linkToken)
  const [id, token] = [newId(), newToken()]
  const lineIds = await transaction(context.db, async (trx) => {
    // The user's lock comes first, as in everything that ends sessions.
    const found = TOKEN.test(linkToken) ? await findPortalLinkRow(trx, linkHash) : undefined
    const user = found && (await lockUser(trx, found.userId))
    const link = user && (await takePortalLink(trx, linkHash))
    if (link === undefined || user?.role !== 'user' || user.disabledAt !== null) throw new LinkExpired()
    const { userId } = link
    const own = (await listLinesOf(trx, userId)).map((line) => line.id)
    const lineIds = link.lineIds.filter((lineId) => own.includes(lineId))
    if (lineIds.length === 0) throw new LinkExpired()
    await insertPortalSession(trx, { ...link, lineIds, id, tokenHash: sha256(token) })
    const { address } = context.actor
    const actor = { kind: 'portal_link', userId: link.madeBy, credentialId: id, address } as const
    await record({ actor }, trx, {
      action: 'portal_link.opened',
      subjectId: id,
      userId,
      after: { lineIds, sessionSeconds: link.sessionSeconds },
    })
    return lineIds
  })
  return { token, lineIds }
}

/** Finds the session that a portal link opened; undefined if it is unknown, ended, or over. */
export async function findPortalSession({ db }: Context, token: string): Promise<Session | undefined> {
  return TOKEN.test(token) ? findPortalSessionRow(db, sha256(token)) : undefined
}

/** True for the token of a session that a portal link opened, and that is over. */
export async function isPortalSessionOver(context: Context, token: string): Promise<boolean> {
  if (!(await wasPortalSession(context.db, sha256(token)))) return false
  return (await findPortalSession(context, token)) === undefined
}

/** Ends the portal session that the browser has, if it has one. */
export async function endPortalSession(context: Context, token: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const ended = await deletePortalSession(trx, sha256(token))
    if (ended === undefined) return
    await record(context, trx, { action: 'session.ended', subjectId: ended.id, userId: ended.userId })
  })
}
