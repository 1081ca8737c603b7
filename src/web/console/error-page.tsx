import type { Context as KoaContext } from 'koa'
import type { Context } from '../../domain/context.js'
import { setOwnPagePolicy } from '../middleware/content-security.js'
import { Layout } from './layout.js'
import { answerPage, pageOf } from './page.js'
import { readSession, type SessionState } from './people/session.js'

/** What went wrong, for a person before a browser. @param asksWho whether Postgres is asked whose session this is */
export async function answerErrorPage(
  ctx: KoaContext,
  context: Context,
  { title, message, asksWho }: { title: string; message: string; asksWho: boolean },
): Promise<void> {
  setOwnPagePolicy(ctx)
  // No route has read the session of a path that there is not: its page keeps the navigation.
  if (asksWho && (ctx.state as SessionState).session === undefined) {
    await readSession(context)(ctx, () => Promise.resolve()).catch(() => undefined)
  }
  answerPage(
    ctx,
    <Layout page={pageOf(ctx, context)} title={title}>
      <h1>{title}</h1>
      <p>{message}</p>
      <p>
        <a href="/console">Go to your lines</a>
      </p>
    </Layout>,
  )
}
