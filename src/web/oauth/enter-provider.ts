import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { Unavailable } from '../../errors.js'
import { isSecure } from '../console/people/session.js'
import { loadProvider } from './load-provider.js'

/**
 * Hands a request to oidc-provider and handles what it leaves to others: its URLs begin with PUBLIC_URL and never with
 * a Host header, its session is not stored, and failures of Postgres are reported as such.
 *
 * @throws Unavailable
 */
export async function enterProvider(context: Context, ctx: KoaContext): Promise<void> {
  ctx.cookies.secure = isSecure(context)
  Object.defineProperty(ctx, 'href', { value: `${context.config.publicUrl}/`, configurable: true })
  const { providerOf, SESSION_COOKIE } = await loadProvider()
  const [handle] = providerOf(context).middleware as unknown as [Middleware]
  await handle(ctx, () => Promise.resolve())
  forgetCookie(ctx, SESSION_COOKIE)
  const { oauthFailure } = ctx as { oauthFailure?: Error }
  if (oauthFailure instanceof Unavailable) {
    ctx.remove('Location')
    throw oauthFailure
  }
  if (oauthFailure !== undefined) context.log.error({ err: oauthFailure }, 'request.failed')
}

/** Drops the package's own session, because the console's session is used instead. */
function forgetCookie(ctx: KoaContext, name: string): void {
  const cookies = [ctx.response.headers['set-cookie'] ?? []].flat().map(String)
  const kept = cookies.filter((cookie) => !cookie.startsWith(`${name}=`))
  ctx.remove('Set-Cookie')
  if (kept.length > 0) ctx.set('Set-Cookie', kept)
}
