import type { Context as KoaContext, Middleware } from 'koa'
import { findTokenOwner, type TokenScope } from '../../domain/people/api-tokens.js'
import { getUser } from '../../domain/people/users.js'
import {
  findAccess,
  type ApplicationAccess,
  type Scope,
} from '../../domain/applications/application-access.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { insufficientScope, requireTokenScope, type Access } from './token-scope.js'

/** The caller: a user's own program, or an application for the user. */
interface CallerState {
  userId?: string
  /** The token of the user's own program. */
  token?: { id: string } & TokenScope
  application?: CallingApplication
}

export interface CallingApplication {
  id: string
  kind: ApplicationAccess['kind']
  scopes: readonly string[]
}

/**
 * Finds the owner of a /v1 request's token, which must be in `Authorization: Bearer …` and nowhere else (RFC 6750
 * §2.1): a token in a URL would end up in the logs of every server on the way, so it is ignored there. A user's own
 * API token (`lhp_…`) may do everything with the user's data, or what its scope allows (`lhs_…`); an application's
 * access token needs one of the scopes.
 *
 * @param access the effect of the operation, and if one line is enough for it
 * @param scopes if empty, no application may do this
 * @throws UserError 401 with `WWW-Authenticate`; with `error="invalid_token"` only if there was one (RFC 6750 §3.1);
 *   403 with `error="insufficient_scope"`; 404 for another line than the token's
 */
export function authenticate(context: Context, access: Access, scopes: readonly Scope[] = []): Middleware {
  return async (ctx, next) => {
    const token = bearerTokenOf(ctx)
    const caller = token === undefined ? undefined : await findCaller(context, token)
    if (caller === undefined) {
      const realm = 'Bearer realm="Linehook"'
      ctx.set('WWW-Authenticate', token === undefined ? realm : `${realm}, error="invalid_token"`)
      throw new UserError(
        token === undefined
          ? 'Send an API token in the header `Authorization: Bearer …`. Create one in the console, under Settings'
          : 'This token is not valid. It has expired, was revoked, or was not copied completely',
        401,
      )
    }
    Object.assign(ctx.state, caller)
    if (caller.application !== undefined) requireScope(context, ctx, scopes)
    if (caller.token !== undefined) await requireTokenScope(context, ctx, access, caller.token)
    await next()
  }
}

/**
 * Runs after `authenticate`: the token must be an operator's.
 *
 * @throws UserError 403
 */
export function requireOperatorToken(context: Context): Middleware {
  return async (ctx, next) => {
    const { role } = await getUser(context, userOf(ctx))
    if (role !== 'operator') throw new UserError("This requires an operator's API token", 403)
    await next()
  }
}

/** True if the token with which an answer began is still valid: neither revoked nor of a disabled user. */
export async function isStillCaller(context: Context, ctx: KoaContext): Promise<boolean> {
  const caller = await findCaller(context, bearerTokenOf(ctx) ?? '')
  return caller !== undefined && caller.userId === findUserOf(ctx)
}

function bearerTokenOf(ctx: KoaContext): string | undefined {
  return /^Bearer +(.*)/i.exec(ctx.get('Authorization'))?.[1]?.trim()
}

async function findCaller(context: Context, token: string): Promise<CallerState | undefined> {
  const owner = await findTokenOwner(context, token)
  if (owner !== undefined) {
    const { userId, tokenId, isReadOnly, lineId } = owner
    return { userId, token: { id: tokenId, isReadOnly, lineId } }
  }
  const access = await findAccess(context, token)
  if (access === undefined) return undefined
  const { applicationId: id, userId, kind, scopes } = access
  return { userId, application: { id, kind, scopes } }
}

function requireScope({ vocabulary }: Context, ctx: KoaContext, scopes: readonly Scope[]): void {
  if (scopes.some((scope) => hasScope(ctx, scope))) return
  const wanted = scopes.map((scope) => vocabulary.scope(scope))
  const why =
    wanted.length === 0
      ? 'Only users can do this, with their own API token'
      : `This requires the scope ${wanted.join(' or ')}`
  throw insufficientScope(ctx, why, wanted[0])
}

/** Returns the caller's user, on a route behind `authenticate`. */
export function userOf(ctx: KoaContext): string {
  const userId = findUserOf(ctx)
  if (userId === undefined) throw new Error('this route is not behind authenticate')
  return userId
}

/** Returns the user of the request's token, on a route that may also be open without one. */
export function findUserOf(ctx: KoaContext): string | undefined {
  return (ctx.state as CallerState).userId
}

/** Returns the API token of a request; undefined if it has none. */
export function tokenOf(ctx: KoaContext): string | undefined {
  return (ctx.state as CallerState).token?.id
}

/** Returns the only line that a request's API token is for; undefined if it is for all, or an application calls. */
export function lineOfToken(ctx: KoaContext): string | undefined {
  return (ctx.state as CallerState).token?.lineId ?? undefined
}

/** Returns the application that calls for the user; undefined if the user's own program does. */
export function applicationOf(ctx: KoaContext): CallingApplication | undefined {
  return (ctx.state as CallerState).application
}

/** True if the calling application was granted the scope. */
export function hasScope(ctx: KoaContext, scope: Scope): boolean {
  return applicationOf(ctx)?.scopes.includes(scope) ?? false
}
