import type { Middleware } from 'koa'
import { countAuthorizedLines } from '../../../database/applications/authorizations.js'
import { deleteApplication, getApplication } from '../../../domain/applications/applications.js'
import type { Context } from '../../../domain/context.js'
import { countOf } from '../../../domain/operating/overview/figures.js'
import { getEndpoint, type Endpoint } from '../../../domain/endpoints/endpoints.js'
import { findDeliveriesOfApplication } from '../../../domain/endpoints/deliveries/delivery-history.js'
import { actAt } from '../act.js'
import { Credentials } from './application/credentials.js'
import { Deliveries, MAX_SHOWN } from './application/deliveries.js'
import { Edit } from './application/fields-form.js'
import { applicationPath, APPLICATIONS, type ApplicationView } from './application/page-model.js'
import { endpointPath } from '../endpoints/path.js'
import { EndpointState } from '../endpoints/state.js'
import { idOf } from '../form-values.js'
import { Confirm, Time } from '../form.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf, shownOnce } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { sessionOf } from '../people/session.js'
import { UserText } from '../user-text.js'

/** The results of forms. */
interface Shown {
  /** The application that was just registered. */
  applicationId: string
  isNew: boolean
  clientSecret: string
}

/**
 * Shows one of the user's applications: the credentials of its program, the URL of its events, and their deliveries.
 */
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
    const deliveries = await findDeliveriesOfApplication(context, userId, id, { limit: MAX_SHOWN })
    const endpoint = endpointId === null ? undefined : await getEndpoint(context, { userId }, endpointId)
    const view = { page: pageOf(ctx, context), application, path: applicationPath(id) }
    answerPage(
      ctx,
      <Layout page={view.page} title={application.name}>
        <div class="line sections">
          <Head
            view={view}
            isNew={shown.isNew === true}
            counts={await countAuthorizedLines(context.db, id)}
          />
          <Credentials view={view} clientSecret={shown.clientSecret} publicUrl={context.config.publicUrl} />
          <Webhook endpoint={endpoint} />
          <Deliveries deliveries={deliveries} />
          <Delete view={view} />
        </div>
      </Layout>,
    )
  }
}

/** @param props.endpoint undefined if it has no webhook URL */
function Webhook({ endpoint }: { endpoint: Endpoint | undefined }) {
  return (
    <section id="webhook" aria-labelledby="webhook-title">
      <h2 id="webhook-title">Webhook</h2>
      {endpoint === undefined ? (
        <p class="empty">This application has no webhook URL, so it gets no events. Add one under Edit.</p>
      ) : (
        <>
          <p>
            Incoming messages on connected lines are posted as signed JSON to <code>{endpoint.url}</code>.
          </p>
          <p>
            <EndpointState endpoint={endpoint} /> <a href={endpointPath(endpoint.id)}>Endpoint settings</a>
          </p>
        </>
      )}
    </section>
  )
}

function Head(props: {
  view: ApplicationView
  isNew: boolean
  counts: { lineCount: number; userCount: number }
}) {
  const { view, isNew, counts } = props
  const { application } = view
  const { name, description, website, kind, createdAt } = application
  const { lineCount, userCount } = counts
  return (
    <div>
      <PageHead crumbs={[['Applications', APPLICATIONS]]} title={<UserText>{name}</UserText>} />
      {isNew && (
        <p role="status" class="notice">
          Application registered.
        </p>
      )}
      <p class="facts">
        <span>{kind === 'public' ? 'Public' : 'Confidential'}</span>
        {website !== null && (
          <a href={website} rel="noopener noreferrer">
            {website}
          </a>
        )}
        <span>
          {countOf(lineCount, 'line')} of {countOf(userCount, 'user')} connected
        </span>
        <span class="muted">
          Registered <Time at={createdAt} />
        </span>
      </p>
      {description !== '' && <p dir="auto">{description}</p>}
      <Edit view={view} />
    </div>
  )
}

function Delete({ view: { page, path } }: { view: ApplicationView }) {
  return (
    <section id="delete" aria-labelledby="delete-title">
      <h2 id="delete-title">Delete</h2>
      <Confirm
        page={page}
        action={`${path}/delete`}
        label="Delete application"
        consequence={
          'Its tokens stop working, every line is disconnected from it, and it gets no more events. ' +
          'This cannot be undone. If you register it again, users have to authorize it again.'
        }
        button="Delete application"
      />
    </section>
  )
}

export const postDeleteApplication = actAt(APPLICATIONS, 'application-deleted', (context, userId, ctx) =>
  deleteApplication(context, userId, idOf(ctx, 'applicationId')),
)
