import type { Endpoint } from '../../../domain/endpoints/endpoints.js'
import { withHost } from '../../../domain/operating/overview/endpoints.js'
import { Field, Form } from '../form.js'
import type { Page } from '../page.js'
import { EndpointName, NameField } from './name.js'
import { endpointPath } from './path.js'
import { EndpointState } from './state.js'

/** Lists endpoints, each of which has its own page. */
export function EndpointList({ endpoints }: { endpoints: readonly Endpoint[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Endpoint</th>
          <th>Host</th>
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
            <td data-label="Host">{withHost(endpoint).host}</td>
            <td data-label="State">
              <EndpointState endpoint={endpoint} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** @param props.what the words of the summary and the button, such as "endpoint" */
export function AddEndpoint(props: { page: Page; action: string; what: string; hint: string }) {
  const { page, action, what, hint } = props
  return (
    <details open={page.fault?.action === action}>
      <summary>Add {what}</summary>
      <Form page={page} action={action}>
        <Field hint={hint} name="url" label="Endpoint URL" type="url" autocomplete="off" required />
        <NameField />
        <button type="submit">Add {what}</button>
      </Form>
    </details>
  )
}
