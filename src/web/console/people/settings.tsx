import type { Middleware } from 'koa'
import { listApiTokens } from '../../../database/people/api-tokens.js'
import { listSessions } from '../../../database/people/sessions.js'
import type { Context } from '../../../domain/context.js'
import { listEndpoints } from '../../../domain/endpoints/endpoints.js'
import { getReading } from '../../../domain/operating/notices.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { HISTORY } from '../operating/audit/paths.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf, shownOnce } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { SECOND_FACTOR } from './second-factor/path.js'
import { sessionOf } from './session.js'
import { ApiTokens, type CreatedToken } from './settings/api-tokens.js'
import { Mails } from './settings/mails.js'
import { OperationalWebhooks } from './settings/operational-webhooks.js'
import { Password } from './settings/password.js'
import { AllAccess, Sessions } from './settings/sessions.js'

/** Shows a user's settings: API tokens, mails, the password, sessions. */
export function showSettings(context: Context): Middleware {
  return async (ctx) => {
    const { created } = shownOnce<{ created: CreatedToken }>(ctx)
    const session = sessionOf(ctx)
    const page = pageOf(ctx, context)
    const tokens = await listApiTokens(context.db, session.userId)
    const lines = await listOwnLines(context, session.userId)
    const sessions = await listSessions(context.db, session.userId)
    const webhooks = await listEndpoints(context, session, { isOfAccount: true })
    const { mails } = await getReading(context, session.userId)
    answerPage(
      ctx,
      <Layout page={page} title="Settings">
        <PageHead title="Settings" beside={<span class="muted">{session.email}</span>} />
        <div class="sections">
          <ApiTokens
            page={page}
            tokens={tokens}
            created={created}
            lines={lines}
            publicUrl={context.config.publicUrl}
          />
          <Mails page={page} mails={mails} />
          <OperationalWebhooks page={page} endpoints={webhooks} />
          <Password page={page} />
          <section id="second-factor">
            <h2>Second factor</h2>
            <p>
              {session.hasSecondFactor
                ? 'Signing in requires a second factor. '
                : 'Your password alone is enough to sign in. '}
              <a href={SECOND_FACTOR}>{session.hasSecondFactor ? 'Manage' : 'Set up a second factor'}</a>
            </p>
          </section>
          <Sessions page={page} sessions={sessions} currentId={session.id} />
          <AllAccess page={page} />
          <section id="export">
            <h2>Your data</h2>
            <p>
              <a href="/console/settings/export.zip">Download your data</a> as a ZIP file: lines with their
              messages, deliveries and media, applications, and your account history. It contains no secrets.
              You need to enter your password.
            </p>
          </section>
          <section id="history">
            <h2>Account history</h2>
            <p>
              <a href={HISTORY}>Sign-ins, changes and access</a> by you, your programs and applications, and
              operators.
            </p>
          </section>
        </div>
      </Layout>,
    )
  }
}
