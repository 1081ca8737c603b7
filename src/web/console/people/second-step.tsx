import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import {
  completeSignIn,
  findHalfOpen,
  STEP_IS_OVER,
  type HalfOpenSession,
} from '../../../domain/people/second-step.js'
import { UserError } from '../../../errors.js'
import { actingFor } from '../../actor.js'
import { fieldOf, nextOf } from '../form-values.js'
import { Field, Form } from '../form.js'
import { pageAfterSignIn } from '../home.js'
import { NarrowPage } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { PasskeyButton } from './second-factor/passkey-form.js'
import { takeSession, type SessionState } from './session.js'

export const SECOND_STEP = '/console/sign-in/second-step'
export const PASSKEY_SIGN_IN = '/console/sign-in/passkey'

/** Shows the step after the password, for users with a second factor. Other visitors have to sign in first. */
export function showSecondStep(context: Context): Middleware {
  return async (ctx) => {
    const next = nextOf(ctx)
    const halfOpen = await halfOpenOf(ctx, context)
    if (halfOpen === undefined) {
      ctx.redirect(`/console/sign-in?next=${encodeURIComponent(next)}`)
      ctx.status = 303
      return
    }
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <NarrowPage page={page} title="Two-step sign-in">
        <p>
          You are signing in as <strong>{halfOpen.email}</strong>. Your password is correct: confirm your
          second factor to continue.
        </p>
        <Form page={page} action={SECOND_STEP}>
          <input type="hidden" name="next" value={next} />
          <CodeField />
          <button type="submit">Sign in</button>
        </Form>
        <PasskeyButton page={page} action={PASSKEY_SIGN_IN} next={next} />
        <small>
          Lost your second factor and your recovery codes? Your operator can remove your second factor (
          <code>linehook user remove-second-factor</code>).
        </small>
      </NarrowPage>,
    )
  }
}

export function postSecondStep(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    await takeSecondStep(ctx, context, fieldOf(ctx, CODE))
    return pageAfterSignIn((ctx.state as SessionState).session, nextOf(ctx))
  }
}

/**
 * Completes the step, after which the current request continues in the session.
 *
 * @throws UserError 401
 */
export async function takeSecondStep(ctx: KoaContext, context: Context, code: string): Promise<void> {
  const halfOpen = await halfOpenOf(ctx, context)
  if (halfOpen === undefined) throw new UserError(STEP_IS_OVER, 401)
  const acting = actingFor(ctx, context)
  const userAgent = ctx.get('User-Agent')
  const { token } = await completeSignIn(acting, { halfOpen, code, address: ctx.ip, userAgent })
  await takeSession(ctx, acting, token)
}

export async function halfOpenOf(ctx: KoaContext, context: Context): Promise<HalfOpenSession | undefined> {
  const { browserToken } = ctx.state as SessionState
  return browserToken === undefined ? undefined : findHalfOpen(context, browserToken)
}

/** The name keeps its value out of pages: a recovery code that was mistyped by one letter is still a secret. */
export const CODE = 'secretCode'

export function CodeField({ name = CODE }: { name?: string }) {
  return (
    <Field
      name={name}
      label="Code"
      hint="The six digits in your authenticator app, if you use one, or a recovery code."
      required
      autocomplete="one-time-code"
      more={{ autocapitalize: 'none', spellcheck: 'false', maxlength: 40 }}
    />
  )
}
