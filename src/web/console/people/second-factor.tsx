import type { Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { findSecondFactors } from '../../../domain/people/second-factors.js'
import { findPendingApp } from '../../../domain/people/second-factors/authenticator-app.js'
import type { Session } from '../../../domain/people/sessions.js'
import { nextOf } from '../form-values.js'
import { homeOf } from '../home.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf, shownOnce, type Page } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { AuthenticatorApp } from './second-factor/authenticator-app.js'
import { NewRecoveryCodes, RecoveryCodes, type ShownRecoveryCodes } from './second-factor/recovery-codes.js'
import { Passkeys } from './second-factor/passkeys.js'
import { sessionOf } from './session.js'
import { SETTINGS } from './settings/path.js'

/** Shows a user's second factors. A user who must have one comes here first, and can go nowhere else. */
export function showSecondFactor(context: Context): Middleware {
  return async (ctx) => {
    const session = sessionOf(ctx)
    const page = pageOf(ctx, context)
    const next = nextOf(ctx)
    const factors = await findSecondFactors(context, session.userId)
    const pending = session.isConfirmed ? await findPendingApp(context, session) : undefined
    const { recoveryCodes } = shownOnce<ShownRecoveryCodes>(ctx)
    answerPage(
      ctx,
      <Layout page={page} title="Second factor">
        <PageHead crumbs={page.isSettingUp ? [] : [['Settings', SETTINGS]]} title="Second factor" />
        <Why page={page} session={session} />
        {recoveryCodes !== undefined && (
          <NewRecoveryCodes codes={recoveryCodes} next={next === '/console' ? homeOf(session) : next} />
        )}
        <div class="sections">
          <AuthenticatorApp page={page} next={next} app={factors.app} pending={pending} />
          <Passkeys page={page} next={next} passkeys={factors.passkeys} />
          {session.hasSecondFactor && <RecoveryCodes page={page} count={factors.recoveryCodeCount} />}
        </div>
      </Layout>,
    )
  }
}

function Why({ page, session }: { page: Page; session: Session }) {
  if (page.isSettingUp) {
    return (
      <p class="fault">
        Set up a second factor to continue. This service requires one in addition to your password.
      </p>
    )
  }
  return (
    <p>
      {session.hasSecondFactor
        ? 'To sign in, you need your password and one of these, or just a passkey.'
        : 'Your password alone is enough to sign in. A second factor protects your account if someone learns it.'}
    </p>
  )
}
