import type { Middleware } from 'koa'
import { listApplicationsOf } from '../../../database/applications/applications.js'
import { registerApplication } from '../../../domain/applications/applications.js'
import type { Context } from '../../../domain/context.js'
import { listEndpoints, type Endpoint } from '../../../domain/endpoints/endpoints.js'
import { showApplication } from './application.js'
import { ApplicationFields, typedApplication } from './application/fields-form.js'
import { applicationPath, APPLICATIONS } from './application/page-model.js'
import { byEndpointState, EndpointState } from '../endpoints/state.js'
import { fieldOf } from '../form-values.js'
import { Empty, Form, Select, Time } from '../form.js'
import { Layout } from '../layout.js'
import { ListControls, listingOf, ListPages } from '../listing.js'
import { answerPage, pageOf, type Act, type Page } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { Table } from '../parts/table.js'
import { sessionOf } from '../people/session.js'

type Application = Awaited<ReturnType<typeof listApplicationsOf>>[number] & { endpoint: Endpoint | null }

const KINDS = [
  ['confidential', 'Confidential: has a server that keeps its client secret'],
  ['public', 'Public: an app or a page that cannot keep a secret and uses PKCE'],
] as const

/** Shows the programs that the user registered, for other users to authorize. */
export function showApplications(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const { userId } = sessionOf(ctx)
    const [registered, endpoints] = await Promise.all([
      listApplicationsOf(context.db, userId),
      listEndpoints(context, { userId }),
    ])
    const endpointOf = new Map(endpoints.map((endpoint) => [endpoint.applicationId, endpoint]))
    const applications = registered.map((each) => ({ ...each, endpoint: endpointOf.get(each.id) ?? null }))
    const listing = listingOf(ctx, applications, {
      words: ({ name, description, website }) => [name, description, website],
      states: byEndpointState(({ endpoint }) => endpoint),
      sorts: {
        newest: { label: 'Newest first', compare: (one, other) => (one.id < other.id ? 1 : -1) },
        name: { label: 'Name', compare: (one, other) => one.name.localeCompare(other.name) },
      },
    })
    const isAdding = ctx.query.new !== undefined || page.fault?.action === APPLICATIONS
    answerPage(
      ctx,
      <Layout page={page} title="Applications">
        <PageHead
          title="Applications"
          acts={
            !isAdding && (
              <a href={`${APPLICATIONS}?new`} role="button" class="primary plus">
                Register application
              </a>
            )
          }
        />
        <p>
          Applications you have built that other users connect to their lines through OAuth 2.0. Those that
          can use your own lines are under{' '}
          <a href="/console/authorized-applications">Authorized applications</a>.
        </p>
        {isAdding && <Register page={page} />}
        {applications.length === 0 ? (
          <Empty>
            No applications yet. For your own lines you do not need one: an{' '}
            <a href="/console/settings#api-tokens">API token</a> is enough.
          </Empty>
        ) : (
          <>
            <ListControls listing={listing} label="Applications" />
            {listing.shown.length === 0 ? (
              <Empty>No applications match this filter.</Empty>
            ) : (
              <ApplicationTable applications={listing.shown} />
            )}
            <ListPages listing={listing} />
          </>
        )}
      </Layout>,
    )
  }
}

function ApplicationTable({ applications }: { applications: Application[] }) {
  return (
    <Table
      rows={applications}
      columns={{
        Name: ({ id, name }) => (
          <a href={applicationPath(id)} dir="auto">
            {name}
          </a>
        ),
        Kind: ({ kind }) => (kind === 'public' ? 'Public' : 'Confidential'),
        Events: ({ endpoint }) => <EndpointState endpoint={endpoint} />,
        Registered: ({ createdAt }) => <Time at={createdAt} />,
      }}
    />
  )
}

function Register({ page }: { page: Page }) {
  return (
    <section aria-labelledby="register">
      <h2 id="register">Register an application</h2>
      <Form page={page} action={APPLICATIONS}>
        <ApplicationFields />
        <Select name="kind" label="Kind" options={KINDS} />
        <button type="submit" class="primary">
          Register
        </button>
      </Form>
    </section>
  )
}

/** The new application's page shows its secret, only this once. */
export function postApplication(context: Context): Act {
  return async (ctx) => {
    const { application, clientSecret } = await registerApplication(context, sessionOf(ctx).userId, {
      ...typedApplication(ctx),
      kind: fieldOf(ctx, 'kind'),
    })
    const shown = { applicationId: application.id, ...(clientSecret === null ? {} : { clientSecret }) }
    return {
      shown: { ...shown, isNew: true },
      at: applicationPath(application.id),
      by: showApplication(context),
    }
  }
}
