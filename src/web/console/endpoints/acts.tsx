import type { Context as KoaContext } from 'koa'
import type { Context } from '../../../domain/context.js'
import { RELEASE_BATCH, sendHeldEvents } from '../../../domain/endpoints/deliveries/held-events.js'
import { tryEndpointNow } from '../../../domain/endpoints/deliveries/try-now.js'
import {
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  type EndpointCaller,
} from '../../../domain/endpoints/endpoints.js'
import { rotateSigningSecret } from '../../../domain/endpoints/signing-secrets.js'
import { sendTestEvent } from '../../../domain/endpoints/test-event.js'
import { pauseEndpoint, resumeEndpoint } from '../../../domain/operating/pauses.js'
import { applicationPath } from '../applications/application/page-model.js'
import { backOf, fieldOf, idOf, seenOf, valuesOf } from '../form-values.js'
import { lineWithNotice } from '../lines/line/section.js'
import { withNotice, type Notice } from '../notices.js'
import { pauserOf } from '../operating/pauser.js'
import { TASKS } from '../operating/tasks.js'
import type { Act } from '../page.js'
import { answerPiece } from '../parts/piece.js'
import { sessionOf } from '../people/session.js'
import { OPERATIONAL } from '../people/settings/operational-webhooks.js'
import { endpointWithNotice } from './path.js'
import { TestEventOutcome } from './test-event.js'

/** The acts of the forms on an endpoint's page. */
export interface AskedEndpoint {
  caller: EndpointCaller
  id: string
}

/** @throws UserError 404 also if it is not an id */
export function askedEndpoint(ctx: KoaContext): AskedEndpoint {
  return { caller: { userId: sessionOf(ctx).userId }, id: idOf(ctx, 'endpointId') }
}

/** Makes an act that shows the endpoint again with a notice of what was done. */
function act(
  notice: Notice,
  work: (context: Context, asked: AskedEndpoint, ctx: KoaContext) => Promise<unknown>,
  show?: 'secret',
) {
  return (context: Context): Act =>
    async (ctx) => {
      const asked = askedEndpoint(ctx)
      await work(context, asked, ctx)
      const back = backOf(ctx)
      return back === undefined ? endpointWithNotice(asked.id, notice, show) : withNotice(back, notice)
    }
}

export const postEndpointFields = act('endpoint-saved', (context, { caller, id }, ctx) =>
  changeEndpoint(context, caller, id, {
    name: fieldOf(ctx, 'name'),
    url: fieldOf(ctx, 'url'),
    optInEvents: valuesOf(ctx, 'optInEvents'),
  }),
)

export const postEnableEndpoint = act('endpoint-enabled', (context, { caller, id }) =>
  enableEndpoint(context, caller, id),
)

export const postPauseEvents = act('events-paused', async (context, { caller, id }, ctx) =>
  pauseEndpoint(context, pauserOf(ctx), await getEndpoint(context, caller, id)),
)

export const postResumeEvents = act('events-resumed', async (context, { caller, id }, ctx) =>
  resumeEndpoint(context, pauserOf(ctx), await getEndpoint(context, caller, id)),
)

export const postTryEventsNow = act('events-tried-now', (context, { caller, id }) =>
  tryEndpointNow(context, caller, id),
)

/** Needs the password (route table): rotating without seeing the new secret would lock the owner's server out. */
export const postRotateSecret = act(
  'secret-rotated',
  (context, { caller, id }, ctx) => {
    const overlap = fieldOf(ctx, 'overlapSeconds')
    return rotateSigningSecret(context, caller, id, {
      seen: seenOf(ctx),
      ...(overlap === '' ? {} : { overlapSeconds: Number(overlap) }),
    })
  },
  'secret',
)

export function postHeldEvents(context: Context): Act {
  return async (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    const count = await sendHeldEvents(context, caller, id)
    return count > RELEASE_BATCH ? withNotice(TASKS, 'held-sent') : endpointWithNotice(id, 'held-sent')
  }
}

export function postDeleteEndpoint(context: Context): Act {
  return async (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    const { lineId, applicationId } = await deleteEndpoint(context, caller, id)
    if (lineId !== null) return lineWithNotice(lineId, 'endpoint-deleted')
    return withNotice(
      applicationId === null ? OPERATIONAL : applicationPath(applicationId),
      'endpoint-deleted',
    )
  }
}

export function postTestEvent(context: Context): Act {
  return async (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    const testEvent = await sendTestEvent(context, caller, id, fieldOf(ctx, 'type'))
    return answerPiece(ctx, { testEvent }, <TestEventOutcome result={testEvent} />)
  }
}
