import type { Context as KoaContext, Middleware } from 'koa'
import { findTokenOwner } from '../../domain/api-tokens.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'

/**
 * Whose API token a request of /v1 came with: `Authorization: Bearer lhp_…`, and nowhere else (RFC 6750 §2.1): a
 * token in a URL would end up in the logs of everybody on the way, so one there is not even looked at.
 *
 * @throws UserError 401 with `WWW-Authenticate`; with `error="invalid_token"` only when there was one (RFC 6750 §3.1)
 */
export function authenticate(context: Context): Middleware {
  return async (ctx, next) => {
    const [, token] = /^Bearer +(.*)$/i.exec(ctx.get('Authorization')) ?? []
    const owner = token === undefined ? undefined : await findTokenOwner(context, token.trim())
    if (owner === undefined) {
      const realm = 'Bearer realm="Linehook"'
      ctx.set('WWW-Authenticate', token === undefined ? realm : `${realm}, error="invalid_token"`)
      throw new UserError(
        token === undefined
          ? 'Send an API token in the header `Authorization: Bearer …`: make one in the console, under Settings'
          : 'This API token is not valid: it was revoked, or is not copied whole',
        401,
      )
    }
    ;(ctx.state as { userId?: string }).userId = owner.userId
    await next()
  }
}

/** Who asks, on a route behind `authenticate`. */
export function userOf(ctx: KoaContext): string {
  const { userId } = ctx.state as { userId?: string }
  if (userId === undefined) throw new Error('this route is not behind authenticate')
  return userId
}
