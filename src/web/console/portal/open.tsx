import type { Context as KoaContext, Middleware } from 'koa'
import { isPortalLink, openPortalLink } from '../../../domain/people/portal.js'
import type { Context } from '../../../domain/context.js'
import { LinkExpired, UserError } from '../../../errors.js'
import { networkOf } from '../../../network.js'
import { fieldOf, queryOf } from '../form-values.js'
import { Form } from '../form.js'
import { NarrowPage } from '../layout.js'
import { linePath, LINES } from '../lines/line/section.js'
import { answerPage, pageOf } from '../page.js'
import { changeBrowserToken } from '../people/session.js'

const PATH = '/console/portal'

/**
 * One address may try this many links that open nothing. No token can be guessed, but nobody needs many tries either.
 */
const WRONG = { limit: 20, lengthMs: 15 * 60_000 }

/**
 * Shows the page behind a portal link. Viewing it uses nothing up, because mail scanners and previews open links,
 * too. A browser has one session, so it says which one would end. Who signs in after that has another form token, and
 * is shown the page again.
 */
export function showPortal(context: Context): Middleware {
  return async (ctx) => {
    const token = await readToken(ctx, context)
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <NarrowPage page={page} title="Open your lines">
        <p>This link works once.</p>
        {page.session !== undefined && (
          <p>
            You are signed in as <strong>{page.session.email}</strong>. Opening the link signs you out in this
            browser. To stay signed in, open it in a private window instead, or{' '}
            <a href="/console">go back to the console</a>.
          </p>
        )}
        <Form page={page} action={PATH}>
          <input type="hidden" name="token" value={token} />
          <button type="submit" class="primary">
            {page.session === undefined ? 'Open' : 'Sign out and open'}
          </button>
        </Form>
      </NarrowPage>,
    )
  }
}

export function postPortal(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const { token, lineIds } = await openPortalLink(context, await readToken(ctx, context))
    await changeBrowserToken(ctx, context, token)
    const [lineId, ...others] = lineIds
    return lineId === undefined || others.length > 0 ? LINES : linePath(lineId)
  }
}

/** @throws UserError 404; 429 after too many that open nothing */
async function readToken(ctx: KoaContext, context: Context): Promise<string> {
  const token = fieldOf(ctx, 'token') || queryOf(ctx, 'token')
  const isFree = await isPortalLink(context, token)
  const key = `portal-link:{${networkOf(ctx.ip)}}`
  const waitMs = await context.throttle.take({ key, ...WRONG }, { isFree })
  if (waitMs > 0) {
    ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)))
    throw new UserError('Too many invalid links. Wait 15 minutes', 429)
  }
  if (!isFree) throw new LinkExpired()
  return token
}
