import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { networkOf } from '../../network.js'
import { readSession, type SessionState } from '../console/people/session.js'
import { answerAuthorizationError } from './refusals.js'

/** This is far more than the people behind one address will begin. Each is a row that waits an hour for a sign-in. */
const PER_MINUTE = 60
/**
 * A state is a random text, or a signed one of about a hundred bytes. It is stored in the row, and comes back in a URL.
 */
const MAX_STATE_BYTES = 2048

/**
 * Runs before GET /oauth/authorize, which writes a row for every caller: without a session its rate is limited for
 * each address, and what the row keeps for the application is bounded.
 *
 * @throws UserError 429, Unavailable
 */
export function limitAnonymousRequests(context: Context): Middleware {
  const read = readSession(context)
  const refuse = answerAuthorizationError(context)
  return async (ctx, next) => {
    if ([ctx.query.state ?? ''].flat().some((state) => Buffer.byteLength(state) > MAX_STATE_BYTES)) {
      ctx.status = 400
      refuse(ctx, {
        error: 'invalid_request',
        error_description: `state must have at most ${MAX_STATE_BYTES} bytes`,
      })
      return
    }
    await read(ctx, () => Promise.resolve())
    if ((ctx.state as SessionState).session === undefined) await requirePace(context, ctx)
    await next()
  }
}

async function requirePace({ throttle, config }: Context, ctx: KoaContext): Promise<void> {
  const key = `authorize:{${networkOf(ctx.ip)}}`
  const waitMs = await throttle.take({ key, limit: PER_MINUTE, lengthMs: 60_000 })
  if (waitMs === 0) return
  ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)))
  throw new UserError(
    `Too many authorizations from your address. Sign in at ${config.publicUrl}/console first, or wait a minute`,
    429,
  )
}
