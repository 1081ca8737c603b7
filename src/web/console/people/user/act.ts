import type { Context as KoaContext } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { getUser, type User } from '../../../../domain/people/users.js'
import { backOf, idOf } from '../../form-values.js'
import { withNotice, type Notice } from '../../notices.js'
import type { Act } from '../../page.js'
import { userPath } from './path.js'

/** Makes an operator's act on a user. It leads to the user's page, or to the page of it that the form names. */
export function userAct(
  notice: Notice,
  work: (context: Context, user: User, ctx: KoaContext) => Promise<unknown>,
) {
  return (context: Context): Act =>
    async (ctx) => {
      const user = await getUser(context, idOf(ctx, 'userId'))
      await work(context, user, ctx)
      return withNotice(backOf(ctx) ?? userPath(user.id), notice)
    }
}
