import type { Middleware } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { findMissed } from '../../../../domain/endpoints/deliveries/replay.js'
import { getPolicy } from '../../../../domain/endpoints/endpoint-policies.js'
import { listLineEndpoints } from '../../../../domain/endpoints/line-endpoints.js'
import { revealSigningSecret } from '../../../../domain/endpoints/signing-secrets.js'
import type { TestEventResult } from '../../../../domain/endpoints/test-event.js'
import { actingFor } from '../../../actor.js'
import type { ShownPreview } from '../../endpoints/policy.js'
import type { CountedReplay } from '../../endpoints/replay.js'
import { queryOf } from '../../form-values.js'
import { shownOnce } from '../../page.js'
import { isConfirmed } from '../../people/session.js'
import { LineEndpoint, type EndpointNow } from './endpoint.js'
import { FurtherEndpoints } from './further-endpoints.js'
import { findHeldEvents } from './held-events.js'
import { LineReplay } from './replay.js'
import type { LineView } from './section.js'
import { SigningSecret } from './signing-secret.js'
import { lineTab } from './tab.js'

/** What the forms bring about. */
interface Shown {
  testEvent: TestEventResult
  policyPreview: ShownPreview
  replayCount: CountedReplay
}

/** Where what the line receives goes, and how it is signed. */
export function showLineReceive(context: Context): Middleware {
  return lineTab(context, 'receive', async (ctx, view) => {
    const { line, connection } = view
    const { testEvent, policyPreview, replayCount } = shownOnce<Shown>(ctx)
    const isAsked = ctx.method === 'GET' && queryOf(ctx, 'show') === 'secret' && connection.endpoint !== null
    if (isAsked && !isConfirmed(ctx, `${ctx.url}#signing-secret`)) return undefined
    const secret = isAsked
      ? await revealSigningSecret(actingFor(ctx, context), line.userId, line.id)
      : undefined
    const endpoint = await loadEndpoint(context, view)
    const further = await listLineEndpoints(context, line.userId, line.id)
    return (
      <>
        <LineEndpoint view={view} now={endpoint} testEvent={testEvent} policyPreview={policyPreview} />
        <LineReplay
          view={view}
          missed={await loadMissed(context, view)}
          counted={replayCount}
          further={further}
        />
        <SigningSecret view={view} secret={secret} />
        <FurtherEndpoints view={view} endpoints={further} />
      </>
    )
  })
}

/** What can be sent again now. */
async function loadMissed(context: Context, { line, connection, endpointId }: LineView) {
  const { enabled, endpoint } = connection
  if (!enabled || endpointId === null || endpoint?.disabledAt !== null) return undefined
  return findMissed(context, { of: 'line', userId: line.userId, id: line.id })
}

async function loadEndpoint(
  context: Context,
  { line, endpointId, work }: LineView,
): Promise<EndpointNow | undefined> {
  if (endpointId === null || work === undefined) return undefined
  return {
    held: await findHeldEvents(context, line, endpointId),
    work,
    policy: await getPolicy(context, { of: 'line', id: line.id, userId: line.userId }),
  }
}
