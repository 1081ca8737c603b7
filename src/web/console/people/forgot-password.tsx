import type { Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { askForReset } from '../../../domain/people/password-reset.js'
import { fieldOf } from '../form-values.js'
import { Form } from '../form.js'
import { NarrowPage } from '../layout.js'
import { withNotice } from '../notices.js'
import { answerPage, pageOf, type Act } from '../page.js'
import { EmailField } from './sign-in.js'

const FORGOT_PASSWORD = '/console/forgot-password'

/** The page exists only if mails are configured. */
export function showForgotPassword(context: Context): Middleware {
  return (ctx) => {
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <NarrowPage page={page} title="Forgot your password?">
        <p>We will email you a link to set a new one. The link works once and expires after one hour.</p>
        <Form page={page} action={FORGOT_PASSWORD}>
          <EmailField />
          <button type="submit" class="primary">
            Send link
          </button>
        </Form>
        <small>If you have never set a password, use the set-up link from your operator.</small>
      </NarrowPage>,
    )
    return Promise.resolve()
  }
}

/** The answer does not reveal if there is such an account. */
export function postForgotPassword(context: Context): Act {
  return async (ctx) => {
    await askForReset(context, fieldOf(ctx, 'email'), ctx.ip)
    return withNotice('/console/sign-in', 'reset-asked')
  }
}
