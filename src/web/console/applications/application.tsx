import type { Middleware } from 'koa'
import { countAuthorizedLines } from '../../../database/applications/authorizations.js'
import { deleteApplication, getApplication } from '../../../domain/applications/applications.js'
import { revealApplicationSigningSecret } from '../../../domain/applications/endpoint.js'
import type { Context } from '../../../domain/context.js'
import { getPolicy } from '../../../domain/endpoints/endpoint-policies.js'
import { findDeliveriesOfApplication } from '../../../domain/endpoints/deliveries/delivery-history.js'
import { getEndpointWork } from '../../../domain/endpoints/deliveries/endpoint-work.js'
import { findMissed } from '../../../domain/endpoints/deliveries/replay.js'
import type { TestEventResult } from '../../../domain/endpoints/test-event.js'
import { actingFor } from '../../actor.js'
import { Credentials } from './application/credentials.js'
import { Deliveries, MAX_SHOWN } from './application/deliveries.js'
import { ApplicationEndpoint } from './application/endpoint.js'
import { Edit } from './application/fields-form.js'
import { applicationPath, APPLICATIONS, type ApplicationView } from './application/page-model.js'
import type { CountedReplay } from '../endpoints/replay.js'
import type { ShownPreview } from '../endpoints/policy.js'
import { idOf, queryOf } from '../form-values.js'
import { Confirm, Time } from '../form.js'
import { Layout } from '../layout.js'
import { withNotice } from '../notices.js'
import { answerPage, pageOf, shownOnce, type Act } from '../page.js'
import { isConfirmed, sessionOf } from '../people/session.js'
import { UserText } from '../user-text.js'

/** What forms bring about. */
interface Shown {
  /** The one that was just registered. */
  applicationId: string
  isNew: boolean
  clientSecret: string
  testEvent: TestEventResult
  policyPreview: ShownPreview
  replayCount: CountedReplay
}

/** One application of the user's: what its program needs, where its events go, and what became of them. */
export function showApplication(context: Context): Middleware {
  return async (ctx) => {
    const shown = shownOnce<Shown>(ctx)
    const { userId } = sessionOf(ctx)
    const application = await getApplication(
      context,
      userId,
      shown.applicationId ?? idOf(ctx, 'applicationId'),
    )
    const { id, endpointId } = application
    const isAsked = ctx.method === 'GET' && queryOf(ctx, 'show') === 'secret' && endpointId !== null
    if (isAsked && !isConfirmed(ctx, `${ctx.url}#signing-secret`)) return
    const signingSecret = isAsked
      ? await revealApplicationSigningSecret(actingFor(ctx, context), userId, id)
      : undefined
    const deliveries = await findDeliveriesOfApplication(context, userId, id, { limit: MAX_SHOWN })
    const work = endpointId === null ? undefined : await getEndpointWork(context, endpointId)
    const canGet = endpointId !== null && application.endpointDisabledAt === null
    const missed = canGet ? await findMissed(context, { of: 'application', userId, id }) : undefined
    const policy =
      endpointId === null ? undefined : await getPolicy(context, { of: 'application', id, userId })
    const view = { page: pageOf(ctx, context), application, path: applicationPath(id) }
    answerPage(
      ctx,
      <Layout page={view.page} title={application.name}>
        <div class="line">
          <Head
            view={view}
            isNew={shown.isNew === true}
            stray={strayFault(view, (work?.heldCount ?? 0) > 0)}
            counts={await countAuthorizedLines(context.db, id)}
          />
          <Credentials view={view} clientSecret={shown.clientSecret} publicUrl={context.config.publicUrl} />
          <ApplicationEndpoint
            view={view}
            signingSecret={signingSecret}
            testEvent={shown.testEvent}
            work={work}
            policy={policy}
            policyPreview={shown.policyPreview}
            missed={missed}
            replayCount={shown.replayCount}
          />
          <Deliveries deliveries={deliveries} />
          <Delete view={view} />
        </div>
      </Layout>,
    )
  }
}

function strayFault({ page: { fault }, application, path }: ApplicationView, hasHeld: boolean) {
  const { webhookUrl, endpointDisabledAt, endpointPausedAt, kind } = application
  const offers = [
    'fields',
    'delete',
    ...(kind === 'public' ? [] : ['client-secret/rotate']),
    ...(webhookUrl === null
      ? []
      : [
          'webhook/test-event',
          'webhook/policy',
          'webhook/policy/preview',
          'webhook/rotate-secret',
          'webhook/replay',
          'webhook/try-events-now',
          endpointPausedAt === null ? 'webhook/pause' : 'webhook/resume',
        ]),
    ...(endpointDisabledAt === null ? [] : ['webhook/enable']),
    ...(hasHeld && webhookUrl !== null && endpointDisabledAt === null ? ['webhook/send-held-events'] : []),
  ]
  return offers.some((form) => fault?.action === `${path}/${form}`) ? undefined : fault?.message
}

function Head(props: {
  view: ApplicationView
  isNew: boolean
  /** What was wrong with a form that is not on the page now. */
  stray: string | undefined
  counts: { lineCount: number; userCount: number }
}) {
  const { view, isNew, stray, counts } = props
  const { application } = view
  const { name, description, website, kind, createdAt } = application
  const { lineCount, userCount } = counts
  return (
    <header>
      <h1>
        <UserText>{name}</UserText>
      </h1>
      {isNew && (
        <p role="status" class="notice">
          The application is registered.
        </p>
      )}
      {stray !== undefined && (
        <p role="alert" class="fault">
          {stray}
        </p>
      )}
      <p class="facts">
        <span>{kind}</span>
        {website !== null && (
          <a href={website} rel="noopener noreferrer">
            {website}
          </a>
        )}
        <span>
          {lineCount === 1 ? '1 line' : `${lineCount} lines`} of{' '}
          {userCount === 1 ? '1 user' : `${userCount} users`} connected
        </span>
        <span class="muted">
          registered <Time at={createdAt} />
        </span>
      </p>
      {description !== '' && <p dir="auto">{description}</p>}
      <Edit view={view} />
    </header>
  )
}

function Delete({ view: { page, path } }: { view: ApplicationView }) {
  return (
    <section id="delete" aria-labelledby="delete-title">
      <h2 id="delete-title">Delete</h2>
      <Confirm
        page={page}
        action={`${path}/delete`}
        label="Delete the application…"
        consequence={
          'At once its tokens are refused, every line is disconnected from it, and it gets no more events. ' +
          'This cannot be undone: users would have to authorize a new one.'
        }
        button="Delete the application"
      />
    </section>
  )
}

export function postDeleteApplication(context: Context): Act {
  return async (ctx) => {
    await deleteApplication(context, sessionOf(ctx).userId, idOf(ctx, 'applicationId'))
    return withNotice(APPLICATIONS, 'application-deleted')
  }
}
