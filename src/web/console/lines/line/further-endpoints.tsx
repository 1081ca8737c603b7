import type { Context } from '../../../../domain/context.js'
import {
  addLineEndpoint,
  MAX_LINE_ENDPOINTS,
  type LineEndpoint,
} from '../../../../domain/endpoints/line-endpoints.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { withHost } from '../../../../domain/operating/overview/endpoints.js'
import { EndpointState } from '../../endpoints/state.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import type { Act } from '../../page.js'
import { sessionOf } from '../../people/session.js'
import { UserText } from '../../user-text.js'
import { endpointWithNotice, furtherPath } from './endpoint-paths.js'
import { NeedsConnection, Section, type LineView } from './section.js'

/** Those that the line has beside its outgoing webhook URL, each with a page of its own. */
export function FurtherEndpoints({
  view,
  endpoints,
}: {
  view: LineView
  endpoints: readonly LineEndpoint[]
}) {
  const { connection, path } = view
  const action = `${path}/endpoints`
  const mayAdd = connection.enabled && endpoints.length < MAX_LINE_ENDPOINTS
  return (
    <Section view={view} id="endpoints" title="Further endpoints" offers={mayAdd ? [action] : []}>
      <p>
        Each event is posted to each of these URLs too, up to {MAX_LINE_ENDPOINTS}. Each has its own secret,
        policy and health, and none waits for another.
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

function Table({ endpoints }: { endpoints: readonly LineEndpoint[] }) {
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
              <a href={furtherPath(endpoint.lineId, endpoint.id)}>
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

/** What its owner calls it, else where it is. */
export function EndpointName({ endpoint }: { endpoint: LineEndpoint }) {
  return endpoint.name === null ? <>{withHost(endpoint).host}</> : <UserText>{endpoint.name}</UserText>
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

export function NameField(props: { page: LineView['page']; action: string; value?: string }) {
  return (
    <Field
      {...props}
      name="name"
      label="Name"
      hint="What you call it; it may be empty."
      autocomplete="off"
      more={{ maxlength: MAX_NAME_LENGTH }}
    />
  )
}

export function postLineEndpoint(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const written = { name: fieldOf(ctx, 'name'), url: fieldOf(ctx, 'url') }
    const { endpoint } = await addLineEndpoint(context, sessionOf(ctx).userId, lineId, written)
    return endpointWithNotice({ lineId, furtherId: endpoint.id }, 'endpoint-added')
  }
}
