import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { isLoopback } from '../network.js'

/**
 * True if the browser's `Origin` says that a request comes from a page that is not ours. Browsers send it with every
 * form that is posted, even over plain http to another machine, where they leave out `Sec-Fetch-Site`.
 *
 * Our pages are those at PUBLIC_URL, whatever name a proxy uses for us; and on this machine those of the loopback
 * name of the request. `null` only means that the browser does not tell (a sandboxed frame, a page without
 * referrers): it is accepted if it also says `same-origin`.
 */
export function isForeignOrigin(ctx: KoaContext, { config }: Pick<Context, 'config'>): boolean {
  const origin = ctx.get('Origin')
  if (origin === '' || origin === new URL(config.publicUrl).origin) return false
  if (origin === 'null') return ctx.get('Sec-Fetch-Site') !== 'same-origin'
  if (!URL.canParse(origin)) return true
  const { hostname, host } = new URL(origin)
  return !isLoopback(hostname) || host !== ctx.get('Host')
}
