import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { getDelivery } from '../../../domain/endpoints/deliveries/delivery-history.js'
import { getEndpoint } from '../../../domain/endpoints/endpoints.js'
import { getMessage } from '../../../domain/messages/get-message.js'
import { findPortalSession, isPortalSessionOver } from '../../../domain/people/portal.js'
import { UserError } from '../../../errors.js'
import { withNotice } from '../notices.js'
import { sessionOf, type SessionState } from '../people/session.js'

const CLOSED = 'The link that you opened gives access only to the pages of its lines'

/**
 * Runs before every route that portal sessions do not reach: such a session is not even read there, so the route sees
 * no signed-in user. A user who has one gets an explanation instead of a sign-in page.
 *
 * @throws UserError 403
 */
export function refusePortal(context: Context): Middleware {
  return async (ctx, next) => {
    const { session, browserToken } = ctx.state as SessionState
    if (session === undefined && browserToken !== undefined) {
      if ((await findPortalSession(context, browserToken)) !== undefined) throw new UserError(CLOSED, 403)
    }
    await next()
  }
}

/**
 * Runs before every route that portal sessions reach: what the path names must belong to one of the session's lines.
 * Any other name is refused, so that a new kind of path is closed until it is listed here. Someone whose session is over
 * may have no password, so the sign-in page tells them what to do.
 *
 * @throws UserError 404, as for another user's data
 */
export function requireNamedLines(context: Context): Middleware {
  return async (ctx, next) => {
    const { session, browserToken } = ctx.state as SessionState
    const isLost = session === undefined && browserToken !== undefined && ctx.method === 'GET'
    if (isLost && (await isPortalSessionOver(context, browserToken))) {
      ctx.redirect(`${withNotice('/console/sign-in', 'portal-over')}&next=${encodeURIComponent(ctx.url)}`)
      return
    }
    if (session?.portalLineIds !== undefined) {
      const { params = {} } = ctx as { params?: Record<string, string> }
      for (const [name, value] of Object.entries(params)) {
        // A number is not an id of ours: the page only shows what is between it and the line.
        if (name === 'number') continue
        requireNamed(ctx, await lineOf(context, session.userId, name, value))
      }
    }
    await next()
  }
}

/** @returns the line that the path's name belongs to; undefined if it belongs to none */
async function lineOf(
  context: Context,
  userId: string,
  name: string,
  id: string,
): Promise<string | null | undefined> {
  switch (name) {
    case 'lineId':
      return id.toLowerCase()
    case 'messageId':
      return (await getMessage(context, userId, id)).lineId
    case 'deliveryId':
      return (await getDelivery(context, userId, id)).lineId
    case 'endpointId':
      return (await getEndpoint(context, { userId }, id)).lineId
    default:
      return undefined
  }
}

/** @throws UserError 404 for a line that the session does not reach */
export function requireNamed(ctx: KoaContext, lineId: string | null | undefined): void {
  const { portalLineIds } = sessionOf(ctx)
  if (portalLineIds === undefined) return
  if (lineId == null || !portalLineIds.includes(lineId))
    throw new UserError('Nothing was found at this path', 404)
}

/** Returns those of the lines' things that the session reaches: all, unless a portal link opened it. */
export function reachedOf<Thing>(
  ctx: KoaContext,
  things: readonly Thing[],
  lineIdOf: (thing: Thing) => string,
): Thing[] {
  const { portalLineIds } = sessionOf(ctx)
  return things.filter((thing) => portalLineIds === undefined || portalLineIds.includes(lineIdOf(thing)))
}
