import type { Context } from '../../../../domain/context.js'
import { addEndpoint, MAX_LINE_ENDPOINTS, type Endpoint } from '../../../../domain/endpoints/endpoints.js'
import { AddEndpoint, EndpointList } from '../../endpoints/list.js'
import { endpointWithNotice } from '../../endpoints/path.js'
import { fieldOf, idOf } from '../../form-values.js'
import type { Act } from '../../page.js'
import { NeedsSignIn } from '../../portal/needs-sign-in.js'
import { sessionOf } from '../../people/session.js'
import { NeedsConnection, Section, type LineView } from './section.js'

/** Lists the line's endpoints besides its outgoing webhook, each with its own page. */
export function LineEndpoints({ view, endpoints }: { view: LineView; endpoints: readonly Endpoint[] }) {
  const { connection, path } = view
  const action = `${path}/endpoints`
  const isFull = endpoints.length >= MAX_LINE_ENDPOINTS
  const mayAdd = connection.enabled && !isFull && !view.page.isPortal
  return (
    <Section view={view} id="endpoints" title="Endpoints" offers={mayAdd ? [action] : []}>
      <p>
        Each event is also sent to these URLs, up to {MAX_LINE_ENDPOINTS}. Each has its own secret, delivery
        settings and health, and a slow one does not delay the others.
      </p>
      {endpoints.length > 0 && <EndpointList endpoints={endpoints} />}
      {!connection.enabled && <NeedsConnection view={view} />}
      {connection.enabled && isFull && !view.page.isPortal && (
        <p class="empty">
          This line has {MAX_LINE_ENDPOINTS} endpoints, the maximum. Delete one to add another.
        </p>
      )}
      {connection.enabled && view.page.isPortal && <NeedsSignIn what="add or delete endpoints" />}
      {mayAdd && (
        <AddEndpoint
          page={view.page}
          action={action}
          what="endpoint"
          hint="For example https://example.com/linehook. It should return 200 right away."
        />
      )}
    </Section>
  )
}

export function postLineEndpoint(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const written = { name: fieldOf(ctx, 'name'), url: fieldOf(ctx, 'url') }
    const { endpoint } = await addEndpoint(context, sessionOf(ctx).userId, { lineId }, written)
    return endpointWithNotice(endpoint.id, 'endpoint-added')
  }
}
