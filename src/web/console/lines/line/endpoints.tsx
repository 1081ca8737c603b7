import type { Context } from '../../../../domain/context.js'
import { addEndpoint, MAX_LINE_ENDPOINTS, type Endpoint } from '../../../../domain/endpoints/endpoints.js'
import { withHost } from '../../../../domain/operating/overview/endpoints.js'
import { EndpointName, NameField } from '../../endpoints/name.js'
import { endpointPath, endpointWithNotice } from '../../endpoints/path.js'
import { EndpointState } from '../../endpoints/state.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import type { Act } from '../../page.js'
import { sessionOf } from '../../people/session.js'
import { NeedsConnection, Section, type LineView } from './section.js'

/** Those that the line has beside its outgoing webhook, each with a page of its own. */
export function LineEndpoints({ view, endpoints }: { view: LineView; endpoints: readonly Endpoint[] }) {
  const { connection, path } = view
  const action = `${path}/endpoints`
  const mayAdd = connection.enabled && endpoints.length < MAX_LINE_ENDPOINTS
  return (
    <Section view={view} id="endpoints" title="Endpoints" offers={mayAdd ? [action] : []}>
      <p>
        Each event also goes to these URLs, up to {MAX_LINE_ENDPOINTS}. Each has its own secret, policy and
        health, and a slow one holds up no other.
      </p>
      {endpoints.length > 0 && <Table endpoints={endpoints} />}
      {!connection.enabled && <NeedsConnection view={view} />}
      {connection.enabled && !mayAdd && (
        <p class="empty">There are {MAX_LINE_ENDPOINTS}: delete one before you add another.</p>
      )}
      {mayAdd && <Add view={view} action={action} />}
    </Section>
  )
}

function Table({ endpoints }: { endpoints: readonly Endpoint[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Endpoint</th>
          <th>URL at</th>
          <th>State</th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.id}>
            <td data-label="Endpoint">
              <a href={endpointPath(endpoint.id)}>
                <EndpointName endpoint={endpoint} />
              </a>
            </td>
            <td data-label="URL at">{withHost(endpoint).host}</td>
            <td data-label="State">
              <EndpointState endpoint={endpoint} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Add({ view: { page }, action }: { view: LineView; action: string }) {
  return (
    <details open={page.fault?.action === action}>
      <summary>Add an endpoint</summary>
      <Form page={page} action={action}>
        <Field
          {...{ page, action }}
          name="url"
          label="URL of the endpoint"
          type="url"
          hint="Such as https://example.com/linehook. It should answer 200 at once."
          autocomplete="off"
          required
        />
        <NameField page={page} action={action} />
        <button type="submit">Add the endpoint</button>
      </Form>
    </details>
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
