import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../domain/people/passwords.js'
import { completeSetUp, findSetUpLink } from '../../../domain/people/set-up-links.js'
import { LinkExpired } from '../../../errors.js'
import { fieldOf, queryOf } from '../form-values.js'
import { Field, Form } from '../form.js'
import { NarrowPage } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { SECOND_STEP } from './second-step.js'
import { RevokeAccess } from './settings/password.js'
import { changeBrowserToken } from './session.js'

/** Shows the page behind a one-time link, on which a new user, or one who forgot the password, sets it. */
export function showSetUp(context: Context): Middleware {
  return async (ctx) => {
    const token = tokenOf(ctx)
    const owner = await findSetUpLink(context, token)
    if (owner === undefined) throw new LinkExpired()
    const page = pageOf(ctx, context)
    const action = '/console/set-up'
    answerPage(
      ctx,
      <NarrowPage page={page} title="Set up your account">
        <Form page={page} action={action}>
          <input type="hidden" name="token" value={token} />
          {owner.userId === null ? (
            <>
              <p>You will be the first operator. Operators manage users, lines and carriers.</p>
              <Field name="email" label="Email" type="email" required autocomplete="username" />
              <Field name="name" label="Name" autocomplete="name" />
            </>
          ) : (
            <label>
              Email
              <input type="email" name="email" value={owner.email} readonly autocomplete="username" />
            </label>
          )}
          <Field
            name="password"
            label="New password"
            hint={`${MIN_PASSWORD_LENGTH} characters or more.`}
            type="password"
            required
            autocomplete="new-password"
            more={{ minlength: MIN_PASSWORD_LENGTH, maxlength: MAX_PASSWORD_LENGTH }}
          />
          {owner.hasPassword && <RevokeAccess />}
          <button type="submit" class="primary">
            Set password and sign in
          </button>
        </Form>
      </NarrowPage>,
    )
  }
}

export function postSetUp(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const { token, isHalfOpen } = await completeSetUp(context, tokenOf(ctx), {
      email: fieldOf(ctx, 'email'),
      name: fieldOf(ctx, 'name'),
      password: fieldOf(ctx, 'password'),
      userAgent: ctx.get('User-Agent'),
      revokes: fieldOf(ctx, 'revoke') === 'true',
    })
    await changeBrowserToken(ctx, context, token)
    return isHalfOpen ? SECOND_STEP : '/console'
  }
}

function tokenOf(ctx: KoaContext): string {
  return fieldOf(ctx, 'token') || queryOf(ctx, 'token')
}
