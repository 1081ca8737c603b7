import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { confirmPassword } from '../../../domain/people/sessions.js'
import { fieldOf, nextOf } from '../form-values.js'
import { Form } from '../form.js'
import { NarrowPage } from '../layout.js'
import { noticeOf } from '../notices.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { PasskeyButton } from './second-factor/passkey-form.js'
import { CODE, CodeField } from './second-step.js'
import { noteConfirmation, sessionOf } from './session.js'
import { PasswordField } from './sign-in.js'

const CONFIRM = '/console/confirm'

/** A browser that downloads a file stays at the page where it is. Its path goes into a header, which holds ASCII only. */
const DOWNLOAD = /^[\w/-]+\/export\.zip$/

/** Asks for the password before a secret is shown, if it was not given recently. */
export function showConfirm(context: Context): Middleware {
  return (ctx) => {
    const next = nextOf(ctx)
    const own = pageOf(ctx, context)
    if (DOWNLOAD.test(next) && sessionOf(ctx).isConfirmed) {
      showDownload(ctx, own, next)
      return Promise.resolve()
    }
    // What was done before is said here: the next page is not seen without the password.
    const page = {
      ...own,
      notice: own.notice ?? noticeOf(new URL(next, 'http://own').searchParams.get('done') ?? ''),
    }
    const hasSecondFactor = page.session?.hasSecondFactor === true
    answerPage(
      ctx,
      <NarrowPage page={page} title="Confirm it's you">
        <p>
          The next page shows or changes a secret. Enter your password{hasSecondFactor && ' and a code'} to
          continue.
        </p>
        <Form page={page} action={CONFIRM}>
          <input type="hidden" name="next" value={next} />
          <PasswordField />
          {hasSecondFactor && <CodeField />}
          <button type="submit" class="primary">
            Continue
          </button>
        </Form>
        {hasSecondFactor && <PasskeyButton page={page} action={`${CONFIRM}/passkey`} next={next} />}
      </NarrowPage>,
    )
    return Promise.resolve()
  }
}

/** The header starts the download, and the page stays. */
function showDownload(ctx: KoaContext, page: Page, path: string): void {
  ctx.set('Refresh', `0; url=${path}`)
  answerPage(
    ctx,
    <NarrowPage page={page} title="Download" heading="Your download starts now">
      <p>
        If it does not, <a href={path}>download the ZIP file</a>.
      </p>
      <p>
        <a href={path.slice(0, path.lastIndexOf('/'))}>Go back</a>
      </p>
    </NarrowPage>,
  )
}

export function postConfirm(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const [password, code] = [fieldOf(ctx, 'password'), fieldOf(ctx, CODE)]
    const proof = { password, code, address: ctx.ip }
    noteConfirmation(ctx, context, await confirmPassword(context, sessionOf(ctx), proof))
    return pageAfterConfirm(ctx)
  }
}

/** Returns the page that wanted the password. For a download it is one that says so. */
export function pageAfterConfirm(ctx: KoaContext): string {
  const next = nextOf(ctx)
  return DOWNLOAD.test(next) ? `${CONFIRM}?next=${encodeURIComponent(next)}` : next
}
