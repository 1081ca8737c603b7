import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { signIn } from '../../../domain/people/sign-in.js'
import { actingFor } from '../../actor.js'
import { fieldOf, nextOf } from '../form-values.js'
import { Field, Form } from '../form.js'
import { pageAfterSignIn } from '../home.js'
import { NarrowPage } from '../layout.js'
import { withNotice } from '../notices.js'
import { answerPage, pageOf } from '../page.js'
import { PasskeyButton } from './second-factor/passkey-form.js'
import { PASSKEY_SIGN_IN, SECOND_STEP } from './second-step.js'
import { changeBrowserToken, signOut, takeSession, type SessionState } from './session.js'

/**
 * A user who is signed in already, perhaps in another tab, goes straight to the page that the link names, unless they
 * were refused just now.
 */
export function showSignIn(context: Context): Middleware {
  return (ctx) => {
    const next = nextOf(ctx)
    const page = pageOf(ctx, context)
    if (page.session !== undefined && (page.fault === undefined || page.fault.isOutOfDate === true)) {
      ctx.redirect(pageAfterSignIn(page.session, next))
      if (ctx.method === 'POST') ctx.status = 303
      return Promise.resolve()
    }
    const action = '/console/sign-in'
    answerPage(
      ctx,
      <NarrowPage page={page} title="Sign in">
        <Form page={page} action={action}>
          <input type="hidden" name="next" value={next} />
          <EmailField />
          <PasswordField />
          <button type="submit" class="primary">
            Sign in
          </button>
        </Form>
        {page.hasMail && (
          <p>
            <a href="/console/forgot-password">Forgot your password?</a>
          </p>
        )}
        <PasskeyButton page={page} action={PASSKEY_SIGN_IN} next={next} />
        <small>
          {page.hasMail ? 'No account yet?' : 'No account yet, or forgot your password?'} Ask your operator
          for a set-up link (<code>linehook user set-up-link</code>).
        </small>
      </NarrowPage>,
    )
    return Promise.resolve()
  }
}

export function postSignIn(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const next = nextOf(ctx)
    const isWhole = await startSession(ctx, context, fieldOf(ctx, 'email'), fieldOf(ctx, 'password'))
    if (!isWhole) return `${SECOND_STEP}?next=${encodeURIComponent(next)}`
    return pageAfterSignIn((ctx.state as SessionState).session, next)
  }
}

/**
 * Signs this browser in with the fields of a form. The current request then continues in that session.
 *
 * @returns false if the second factor is still required
 */
export async function startSession(
  ctx: KoaContext,
  context: Context,
  email: string,
  password: string,
): Promise<boolean> {
  const credentials = { email, password, address: ctx.ip, userAgent: ctx.get('User-Agent') }
  const acting = actingFor(ctx, context)
  const { token, isHalfOpen } = await signIn(acting, credentials)
  if (isHalfOpen) await changeBrowserToken(ctx, acting, token)
  else await takeSession(ctx, acting, token)
  return !isHalfOpen
}

export function postSignOut(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    await signOut(ctx, context)
    // Cookies are left out, because the answer sets the one of a browser that is signed out.
    ctx.set('Clear-Site-Data', '"cache", "storage"')
    return withNotice('/console/sign-in', 'signed-out')
  }
}

export function EmailField({ name = 'email' }: { name?: string }) {
  return <Field name={name} label="Email" type="email" required autocomplete="username" />
}

export function PasswordField({ name = 'password' }: { name?: string }) {
  return <Field name={name} label="Password" type="password" required autocomplete="current-password" />
}
