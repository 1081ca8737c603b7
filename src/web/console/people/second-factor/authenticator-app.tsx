import { renderSVG } from 'uqr'
import type { Context } from '../../../../domain/context.js'
import type { SecondFactors } from '../../../../domain/people/second-factors.js'
import {
  beginApp,
  confirmApp,
  removeApp,
  type PendingApp,
} from '../../../../domain/people/second-factors/authenticator-app.js'
import { actAt } from '../../act.js'
import { fieldOf, nextOf } from '../../form-values.js'
import { Confirm, Field, Form, Time } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { Copyable } from '../../secret.js'
import { noteSecondFactor, sessionOf } from '../session.js'
import { SECOND_FACTOR } from './path.js'
import { recoveryCodesAt } from './recovery-codes.js'

const ACTION = `${SECOND_FACTOR}/app`

export function AuthenticatorApp(props: {
  page: Page
  next: string
  app: SecondFactors['app']
  pending: PendingApp | undefined
}) {
  const { page, next, app, pending } = props
  return (
    <section id="app">
      <h2>Authenticator app</h2>
      {app !== undefined && <Present page={page} app={app} />}
      {app === undefined && (
        <>
          <p>An app on your phone that shows a new six-digit code every 30 seconds.</p>
          {pending !== undefined && <Pending page={page} next={next} pending={pending} />}
          <Form page={page} action={ACTION}>
            <input type="hidden" name="next" value={next} />
            <button type="submit" {...(pending === undefined ? {} : { class: 'secondary' })}>
              {pending === undefined ? 'Set up an authenticator app' : 'Start over with a new secret'}
            </button>
          </Form>
        </>
      )}
    </section>
  )
}

function Present({ page, app }: { page: Page; app: NonNullable<SecondFactors['app']> }) {
  const { confirmedAt, lastUsedAt } = app
  return (
    <>
      <p>
        Set up on <Time at={confirmedAt} />
        {lastUsedAt !== null && (
          <>
            , last used at <Time at={lastUsedAt} />
          </>
        )}
        .
      </p>
      <Confirm
        page={page}
        action={`${ACTION}/remove`}
        label="Remove app"
        consequence="Its codes stop working. You can then set up the app again, for example on a new phone."
        button="Remove app"
      />
    </>
  )
}

function Pending({ page, next, pending }: { page: Page; next: string; pending: PendingApp }) {
  const { secret, uri } = pending
  const action = `${ACTION}/confirm`
  return (
    <>
      <p>Scan this code with the app, or enter the secret:</p>
      <p>
        <img
          class="qr"
          width="220"
          height="220"
          alt="QR code for the secret"
          src={`data:image/svg+xml,${encodeURIComponent(renderSVG(uri, { border: 2 }))}`}
        />
      </p>
      <Copyable id="app-secret" text={secret} what="the secret" />
      <Form page={page} action={action}>
        <input type="hidden" name="next" value={next} />
        <Field
          name="code"
          label="Current code in the app"
          required
          autocomplete="one-time-code"
          more={{ inputmode: 'numeric', maxlength: 10 }}
        />
        <button type="submit">Confirm</button>
      </Form>
    </>
  )
}

export function postApp(context: Context): Act {
  return async (ctx) => {
    await beginApp(context, sessionOf(ctx).userId)
    return `${SECOND_FACTOR}?next=${encodeURIComponent(nextOf(ctx))}#app`
  }
}

export function postConfirmApp(context: Context): Act {
  return async (ctx) => {
    const { recoveryCodes } = await confirmApp(context, sessionOf(ctx), fieldOf(ctx, 'code'))
    noteSecondFactor(ctx)
    return recoveryCodes === undefined
      ? withNotice(SECOND_FACTOR, 'second-factor-added')
      : recoveryCodesAt(ctx, recoveryCodes)
  }
}

export const postRemoveApp = actAt(SECOND_FACTOR, 'second-factor-removed', removeApp)
