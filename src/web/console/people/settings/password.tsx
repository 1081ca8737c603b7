import type { Context } from '../../../../domain/context.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../../domain/people/passwords.js'
import { changePassword } from '../../../../domain/people/sessions.js'
import { fieldOf } from '../../form-values.js'
import { CheckBox, Field, Form } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { sessionOf, setBrowserToken } from '../session.js'
import { SETTINGS } from './path.js'

export function Password({ page }: { page: Page }) {
  const action = `${SETTINGS}/password`
  const password = { type: 'password' as const, required: true }
  return (
    <section id="password">
      <h2>Password</h2>
      <details open={page.fault?.action === action}>
        <summary>Change password…</summary>
        <Form page={page} action={action}>
          {/* This lets password managers know whose password it is. */}
          <input
            type="text"
            name="username"
            value={page.session?.email}
            autocomplete="username"
            hidden
            readonly
          />
          <Field
            {...password}
            name="currentPassword"
            label="Current password"
            autocomplete="current-password"
          />
          <Field
            {...password}
            name="newPassword"
            label="New password"
            hint={`${MIN_PASSWORD_LENGTH} characters or more. You are signed out everywhere else.`}
            autocomplete="new-password"
            more={{ minlength: MIN_PASSWORD_LENGTH, maxlength: MAX_PASSWORD_LENGTH }}
          />
          <RevokeAccess />
          <button type="submit">Change password</button>
        </Form>
      </details>
    </section>
  )
}

/** It is offered wherever a password is set, for users who fear that the old one was known. */
export function RevokeAccess() {
  return <CheckBox name="revoke" label="Also revoke all API tokens and disconnect all applications" />
}

export function postPassword(context: Context): Act {
  return async (ctx) => {
    const [current, next] = [fieldOf(ctx, 'currentPassword'), fieldOf(ctx, 'newPassword')]
    const revokes = fieldOf(ctx, 'revoke') === 'true'
    const token = await changePassword(context, sessionOf(ctx), current, next, ctx.ip, { revokes })
    setBrowserToken(ctx, context, token)
    return withNotice(SETTINGS, 'password-changed')
  }
}
