import type { Context as KoaContext } from 'koa'
import type { Context } from '../../domain/context.js'
import { withNotice, type Notice } from './notices.js'
import type { Act } from './page.js'
import { sessionOf } from './people/session.js'

/** Makes an act of the signed-in user that leads to a page with a notice of what was done. */
export function actAt(
  path: string,
  notice: Notice,
  work: (context: Context, userId: string, ctx: KoaContext) => Promise<unknown>,
) {
  return (context: Context): Act =>
    async (ctx) => {
      await work(context, sessionOf(ctx).userId, ctx)
      return withNotice(path, notice)
    }
}
