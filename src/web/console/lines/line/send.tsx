import type { Middleware } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { revealIncomingWebhook } from '../../../../domain/lines/incoming-webhooks.js'
import { countMessagesToTry } from '../../../../domain/messages/try-now.js'
import { actingFor } from '../../../actor.js'
import { queryOf } from '../../form-values.js'
import { shownOnce } from '../../page.js'
import { isConfirmed } from '../../people/session.js'
import type { CountedText } from '../../messages/text-form.js'
import { IncomingWebhook } from './incoming-webhook.js'
import { Limits } from './limits.js'
import { loadOptOuts, OptOuts } from './opt-outs.js'
import { SendText } from './send-text.js'
import { Sending } from './sending.js'
import { lineTab } from './tab.js'

/** Shows how to send by a program or by hand, the limits, and the numbers that opted out. */
export function showLineSend(context: Context): Middleware {
  return lineTab(context, 'send', async (ctx, view) => {
    const { line, connection } = view
    const isAsked =
      ctx.method === 'GET' && queryOf(ctx, 'show') === 'webhook' && connection.incomingWebhook !== null
    if (isAsked && !isConfirmed(ctx, `${ctx.url}#incoming-webhook`)) return undefined
    const webhook = isAsked
      ? await revealIncomingWebhook(actingFor(ctx, context), line.userId, line.id)
      : undefined
    const maskedUrl = context.config.publicUrl + context.vocabulary.incomingWebhookPath(line.id)
    const [optOuts, toTry] = await Promise.all([
      loadOptOuts(context, line),
      countMessagesToTry(context, line.id),
    ])
    return (
      <div class="sections">
        <IncomingWebhook view={view} webhook={webhook} maskedUrl={maskedUrl} />
        <SendText view={view} counted={shownOnce<{ counted: CountedText }>(ctx).counted} />
        <Sending view={view} toTry={toTry} />
        <Limits view={view} />
        <OptOuts view={view} now={optOuts} />
      </div>
    )
  })
}
