import type { Endpoint } from '../../../domain/endpoints/endpoints.js'
import { withHost } from '../../../domain/operating/overview/endpoints.js'
import { Field, Form } from '../form.js'
import type { Page } from '../page.js'
import { Table } from '../parts/table.js'
import { EndpointName, NameField } from './name.js'
import { endpointPath } from './path.js'
import { EndpointState } from './state.js'

/** Lists endpoints, each of which has its own page. */
export function EndpointList({ endpoints }: { endpoints: readonly Endpoint[] }) {
  return (
    <Table
      rows={endpoints}
      columns={{
        Endpoint: (endpoint) => (
          <a href={endpointPath(endpoint.id)}>
            <EndpointName endpoint={endpoint} />
          </a>
        ),
        Host: (endpoint) => withHost(endpoint).host,
        State: (endpoint) => <EndpointState endpoint={endpoint} />,
      }}
    />
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
