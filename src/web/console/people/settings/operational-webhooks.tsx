import type { Context } from '../../../../domain/context.js'
import { addEndpoint, MAX_ACCOUNT_ENDPOINTS, type Endpoint } from '../../../../domain/endpoints/endpoints.js'
import { AddEndpoint, EndpointList } from '../../endpoints/list.js'
import { endpointWithNotice } from '../../endpoints/path.js'
import { fieldOf } from '../../form-values.js'
import type { Act, Page } from '../../page.js'
import { sessionOf } from '../session.js'
import { SETTINGS } from './path.js'

const ACTION = `${SETTINGS}/operational-webhooks`
export const OPERATIONAL = `${SETTINGS}#operational-webhooks`

/** Endpoints that get the user's notifications. */
export function OperationalWebhooks({ page, endpoints }: { page: Page; endpoints: readonly Endpoint[] }) {
  return (
    <section id="operational-webhooks">
      <h2>Operational webhooks</h2>
      <p>
        Your <a href="/console/notices">notifications</a> are also posted to these URLs as signed events, so
        your monitoring knows immediately when an endpoint fails or a country is paused.
      </p>
      {endpoints.length > 0 && <EndpointList endpoints={endpoints} />}
      {endpoints.length < MAX_ACCOUNT_ENDPOINTS && (
        <AddEndpoint
          page={page}
          action={ACTION}
          what="operational webhook"
          hint="For example https://example.com/alerts."
        />
      )}
    </section>
  )
}

export function postOperationalWebhook(context: Context): Act {
  return async (ctx) => {
    const written = { name: fieldOf(ctx, 'name'), url: fieldOf(ctx, 'url') }
    const { endpoint } = await addEndpoint(context, sessionOf(ctx).userId, { isOfAccount: true }, written)
    return endpointWithNotice(endpoint.id, 'endpoint-added', 'secret')
  }
}
