import type { Middleware } from 'koa'
import { listApplicationsOf } from '../../../database/applications/applications.js'
import type { Context } from '../../../domain/context.js'
import { ENDPOINT_STATES, endpointStateOf } from '../../../domain/endpoints/deliveries/endpoint-state.js'
import { listEndpoints, type Endpoint } from '../../../domain/endpoints/endpoints.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { withHost } from '../../../domain/operating/overview/endpoints.js'
import { Empty } from '../form.js'
import { Layout } from '../layout.js'
import { ListControls, listingOf, ListPages } from '../listing.js'
import { answerPage, pageOf } from '../page.js'
import { Table } from '../parts/table.js'
import { sessionOf } from '../people/session.js'
import { UserText } from '../user-text.js'
import { EndpointName } from './name.js'
import { endpointPath } from './path.js'
import { byEndpointState, EndpointState } from './state.js'

/** Lists every URL that gets events of the user: of lines, of applications and of the account. */
export function showEndpoints(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const [endpoints, lines, applications] = await Promise.all([
      listEndpoints(context, { userId }),
      listOwnLines(context, userId),
      listApplicationsOf(context.db, userId),
    ])
    const nameOf = new Map([...lines, ...applications].map(({ id, name }) => [id, name]))
    const ownerOf = ({ lineId, applicationId }: Endpoint) =>
      nameOf.get(lineId ?? applicationId ?? '') ??
      (lineId !== null ? 'A line' : applicationId !== null ? 'An application' : 'Your account')
    const labelOf = (endpoint: Endpoint) => endpoint.name ?? withHost(endpoint).host
    const listing = listingOf(ctx, endpoints, {
      words: (endpoint) => [endpoint.name, endpoint.url, ownerOf(endpoint)],
      states: byEndpointState((endpoint) => endpoint),
      sorts: {
        state: { label: 'State, worst first', compare: (one, other) => rankOf(one) - rankOf(other) },
        name: { label: 'Name', compare: (one, other) => labelOf(one).localeCompare(labelOf(other)) },
        line: { label: 'Line', compare: (one, other) => ownerOf(one).localeCompare(ownerOf(other)) },
      },
    })
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Endpoints">
        <h1>Endpoints</h1>
        <ListControls listing={listing} label="Endpoints" />
        {listing.shown.length === 0 ? (
          <Empty>
            {endpoints.length === 0
              ? 'No endpoints yet. Add one to a line, on its Receive tab.'
              : 'No endpoints match this filter.'}
          </Empty>
        ) : (
          <Table
            rows={listing.shown}
            columns={{
              Endpoint: (endpoint) => (
                <>
                  <a href={endpointPath(endpoint.id)}>
                    <EndpointName endpoint={endpoint} />
                  </a>
                  {endpoint.name !== null && <span class="muted"> {withHost(endpoint).host}</span>}
                </>
              ),
              Owner: (endpoint) => <UserText>{ownerOf(endpoint)}</UserText>,
              State: (endpoint) => <EndpointState endpoint={endpoint} />,
            }}
          />
        )}
        <ListPages listing={listing} />
      </Layout>,
    )
  }
}

function rankOf(endpoint: Endpoint): number {
  return ENDPOINT_STATES.indexOf(endpointStateOf(endpoint))
}
