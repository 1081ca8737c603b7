import type { Context as KoaContext } from 'koa'
import type { Actor } from '../domain/operating/audit/actor.js'
import { actingAs, type Context } from '../domain/context.js'
import type { SessionState } from './console/people/session.js'
import { applicationOf, findUserOf, tokenOf } from './middleware/authenticate.js'

/** The context for a request's actions, so that the audit log names its sender. */
export function actingFor(ctx: KoaContext, context: Context): Context {
  return actingAs(context, actorOf(ctx))
}

/** Returns the sender of a request, as far as its checks have found out by now. */
export function actorOf(ctx: KoaContext): Actor {
  const address = ctx.ip
  const { session } = ctx.state as SessionState
  if (session !== undefined) {
    const { id: credentialId, userId, portalMadeBy } = session
    if (portalMadeBy === undefined) return { kind: 'user', userId, credentialId, address }
    return { kind: 'portal_link', userId: portalMadeBy, credentialId, address }
  }
  const userId = findUserOf(ctx) ?? null
  const application = applicationOf(ctx)
  if (application !== undefined) {
    return { kind: 'application', userId, credentialId: application.id, address }
  }
  if (userId !== null) return { kind: 'api_token', userId, credentialId: tokenOf(ctx) ?? null, address }
  return { kind: 'visitor', userId: null, credentialId: null, address }
}
