import type { Middleware } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { Disconnect } from './connection.js'
import { DeleteIncomingWebhook } from './incoming-webhook.js'
import { lineTab } from './tab.js'

/** Shows the acts that cannot be undone. */
export function showLineDanger(context: Context): Middleware {
  return lineTab(context, 'danger', (_ctx, view) =>
    Promise.resolve(
      <div class="sections">
        <DeleteIncomingWebhook view={view} />
        <Disconnect view={view} />
      </div>,
    ),
  )
}
