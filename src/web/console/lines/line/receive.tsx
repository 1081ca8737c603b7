import type { Middleware } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { listEndpoints } from '../../../../domain/endpoints/endpoints.js'
import { LineEndpoints } from './endpoints.js'
import { OutgoingWebhook } from './outgoing-webhook.js'
import { lineTab } from './tab.js'

/** Shows where the events of the line go. */
export function showLineReceive(context: Context): Middleware {
  return lineTab(context, 'receive', async (_ctx, view) => {
    const { userId, id: lineId } = view.line
    const endpoints = await listEndpoints(context, { userId }, { lineId })
    return (
      <div class="sections">
        <OutgoingWebhook view={view} endpoint={endpoints.find((each) => each.isOutgoingWebhook)} />
        <LineEndpoints view={view} endpoints={endpoints.filter((each) => !each.isOutgoingWebhook)} />
      </div>
    )
  })
}
