import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { isLoopback } from '../network.js'

/**
 * Whether a browser says in `Origin` that a request comes from a page that is not ours. It does so with every form that
 * is posted, also over plain http to another machine, where it leaves out `Sec-Fetch-Site`.
 *
 * Ours are the pages at PUBLIC_URL, whatever the name by which a proxy asks us; and on this machine those of every
 * loopback name that it was asked by. `null` says only that the browser does not tell (a sandboxed frame, a page without
 * referrers): that counts where it says `same-origin` besides.
 */
export function isForeignOrigin(ctx: KoaContext, { config }: Pick<Context, 'config'>): boolean {
  const origin = ctx.get('Origin')
  if (origin === '' || origin === new URL(config.publicUrl).origin) return false
  if (origin === 'null') return ctx.get('Sec-Fetch-Site') !== 'same-origin'
  if (!URL.canParse(origin)) return true
  const { hostname, host } = new URL(origin)
  return !isLoopback(hostname) || host !== ctx.get('Host')
}
