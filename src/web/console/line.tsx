import type { Context as KoaContext, Middleware } from 'koa'
import { findConnection } from '../../database/developer-connections.js'
import { listAuthorizedApplications } from '../../domain/authorizations.js'
import { getConnection } from '../../domain/connection-overview.js'
import type { Context } from '../../domain/context.js'
import { getEndpointWork } from '../../domain/deliveries/endpoint-work.js'
import { getPolicy } from '../../domain/endpoint-policies.js'
import { revealIncomingWebhook } from '../../domain/incoming-webhooks.js'
import { getOwnLine } from '../../domain/lines.js'
import { revealSigningSecret } from '../../domain/signing-secrets.js'
import type { TestEventResult } from '../../domain/test-event.js'
import { actingFor } from '../actor.js'
import type { ShownPreview } from './endpoint/policy.js'
import { idOf, queryOf } from './form-values.js'
import { Layout } from './layout.js'
import { LineAuthorizations } from './line/authorizations.js'
import { Connection } from './line/connection.js'
import { LineEndpoint, type EndpointNow } from './line/endpoint.js'
import { Head } from './line/head.js'
import { findHeldEvents } from './line/held-events.js'
import { IncomingWebhook } from './line/incoming-webhook.js'
import { Limits, loadLimits } from './line/limits.js'
import { loadOptOuts, OptOuts } from './line/opt-outs.js'
import { QuickStart } from './line/quick-start.js'
import { isSaidInSection, linePath, type LineView } from './line/section.js'
import { SendText, type CountedText } from './line/send-text.js'
import { Sending } from './line/sending.js'
import { SigningSecret } from './line/signing-secret.js'
import { Strip } from './line/strip.js'
import { answerPage, pageOf, shownOnce } from './page.js'
import { isConfirmed, sessionOf } from './session.js'

/** What the page's forms bring about. */
interface Shown {
  testEvent: TestEventResult
  policyPreview: ShownPreview
  counted: CountedText
}

/** One line: its developer connection, both webhooks, and how much of its limits is used. */
export function showLine(context: Context): Middleware {
  return async (ctx) => {
    const { testEvent, policyPreview, counted } = shownOnce<Shown>(ctx)
    const view = await loadView(context, ctx)
    const { page, line, connection, done } = view
    const show = ctx.method === 'GET' ? queryOf(ctx, 'show') : ''
    const isSecret = show === 'secret' && connection.endpoint !== null
    const isWebhook = show === 'webhook' && connection.incomingWebhook !== null
    if (isSecret && !isConfirmed(ctx, `${ctx.url}#signing-secret`)) return
    if (isWebhook && !isConfirmed(ctx, `${ctx.url}#incoming-webhook`)) return

    const acting = actingFor(ctx, context)
    const secret = isSecret ? await revealSigningSecret(acting, line.userId, line.id) : undefined
    const webhook = isWebhook ? await revealIncomingWebhook(acting, line.userId, line.id) : undefined
    const endpoint = await loadEndpoint(context, line)
    const limits = await loadLimits(context, line)
    const optOuts = await loadOptOuts(context, line)
    const applications = await listAuthorizedApplications(context, line.userId, line.id)
    answerPage(
      ctx,
      <Layout page={isSaidInSection(done) ? { ...page, notice: undefined } : page} title={line.name}>
        <div class="line">
          <Head view={view} />
          <Strip view={view} endpoint={endpoint} limits={limits} />
          <QuickStart view={view} />
          <Sending view={view} />
          <Connection view={view} />
          <IncomingWebhook
            view={view}
            webhook={webhook}
            maskedUrl={context.config.publicUrl + context.vocabulary.incomingWebhookPath(line.id)}
          />
          <LineEndpoint view={view} now={endpoint} testEvent={testEvent} policyPreview={policyPreview} />
          <SigningSecret view={view} secret={secret} />
          <LineAuthorizations applications={applications} />
          <SendText view={view} counted={counted} />
          <OptOuts view={view} now={optOuts} />
          <Limits view={view} limits={limits} />
        </div>
      </Layout>,
    )
  }
}

async function loadEndpoint(context: Context, line: LineView['line']): Promise<EndpointNow | undefined> {
  const connection = await findConnection(context.db, line.userId, line.id)
  const id = connection?.endpointId
  if (id == null) return undefined
  return {
    held: await findHeldEvents(context, line, id),
    work: await getEndpointWork(context, id),
    policy: await getPolicy(context, { of: 'line', id: line.id, userId: line.userId }),
  }
}

/** @throws UserError 404, also for another user's line */
async function loadView(context: Context, ctx: KoaContext): Promise<LineView> {
  const { userId } = sessionOf(ctx)
  const line = await getOwnLine(context, userId, idOf(ctx, 'lineId'))
  return {
    page: pageOf(ctx, context),
    line,
    connection: await getConnection(context, userId, line.id),
    path: linePath(line.id),
    done: queryOf(ctx, 'done'),
  }
}
