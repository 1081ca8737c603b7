import type { Context as KoaContext } from 'koa'
import type { Context } from '../../domain/context.js'
import { setOwnPagePolicy } from '../middleware/content-security.js'
import type { FaultState } from './form-fault.js'
import { Layout } from './layout.js'
import { answerPage, pageOf } from './page.js'
import { Words } from './parts/words.js'

/** Shows an error as a page, for a person with a browser. */
export function answerErrorPage(ctx: KoaContext, context: Context, title: string, message: string): void {
  setOwnPagePolicy(ctx)
  const state = ctx.state as FaultState
  // A form whose page is refused for the same reason: this is said once.
  if (state.fault?.message === message) delete state.fault
  const page = pageOf(ctx, context)
  const { supportUrl } = page.look
  answerPage(
    ctx,
    <Layout page={page} title={title}>
      <h1>{title}</h1>
      <p>
        <Words>{message}</Words>
      </p>
      <p>
        <a href="/console">Go to your lines</a>
        {supportUrl !== undefined && (
          <>
            {' '}
            or <a href={supportUrl}>contact support</a>
          </>
        )}
      </p>
    </Layout>,
  )
}
