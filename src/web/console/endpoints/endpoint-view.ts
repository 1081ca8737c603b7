import type { Context as KoaContext } from 'koa'
import { listAccountDeliveries, listDeliveries } from '../../../database/endpoints/deliveries/reading.js'
import { listEndpointHours, type DayEvents } from '../../../database/lines/line-health.js'
import { getApplication } from '../../../domain/applications/applications.js'
import type { Context } from '../../../domain/context.js'
import { getEndpointWork, type EndpointWork } from '../../../domain/endpoints/deliveries/endpoint-work.js'
import type { Missed } from '../../../domain/endpoints/deliveries/replay.js'
import { getEndpoint, type Endpoint } from '../../../domain/endpoints/endpoints.js'
import { getPolicy, type ShownPolicy } from '../../../domain/endpoints/policies.js'
import { getConnection } from '../../../domain/lines/connection-overview.js'
import { getOwnLine } from '../../../domain/lines/lines.js'
import { pauseOf } from '../../../domain/operating/pauses.js'
import { applicationPath } from '../applications/application/page-model.js'
import { sectionPath } from '../lines/line/section.js'
import { pageOf, type Page } from '../page.js'
import { OPERATIONAL } from '../people/settings/operational-webhooks.js'
import { askedEndpoint } from './acts.js'
import { MAX_SHOWN, type HeldDelivery } from './held-events.js'
import { endpointPath } from './path.js'
import type { PauseEvents } from './pause.js'

/** The line, application or account whose events an endpoint gets. */
interface Owner {
  what: 'line' | 'application' | 'account'
  name: string
  href: string
  /** False if a line's developer connection is off; it is switched on on the line's page. */
  isOn: boolean
  switchPath: string
  activityPath: string
}

export interface EndpointView {
  page: Page
  endpoint: Endpoint
  owner: Owner
  pause: Parameters<typeof PauseEvents>[0]['endpoint']
  held: readonly HeldDelivery[]
  work: EndpointWork
  policy: ShownPolicy
  events: DayEvents | undefined
  missed: Missed | undefined
  /** A path such as `/console/endpoints/…`. */
  path: string
}

/** Everything but what can be replayed. */
export async function loadNow(context: Context, ctx: KoaContext): Promise<EndpointView> {
  const { caller, id } = askedEndpoint(ctx)
  const endpoint = await getEndpoint(context, caller, id)
  const owner = await findOwner(context, endpoint)
  const { userId, pausedAt, pausedByUser, lineId, applicationId } = endpoint
  return {
    page: pageOf(ctx, context),
    endpoint,
    owner,
    pause: { pausedAt, pausedBy: pauseOf({ userId, pausedAt, pausedBy: pausedByUser })?.by ?? null },
    // Messages to other users' lines are private: for an application's endpoint the number of events is enough.
    held: applicationId === null ? await findHeld(context, userId, lineId, id) : [],
    work: await getEndpointWork(context, id),
    policy: await getPolicy(context, caller, id),
    events: owner.what === 'account' ? undefined : await listEndpointHours(context.db, endpoint),
    missed: undefined,
    path: endpointPath(id),
  }
}

async function findOwner(context: Context, endpoint: Endpoint): Promise<Owner> {
  const { userId, lineId, applicationId, isOutgoingWebhook } = endpoint
  if (lineId === null && applicationId === null) {
    return {
      ...{ what: 'account', name: 'your account', href: OPERATIONAL, isOn: true, switchPath: OPERATIONAL },
      activityPath: '/console/notices',
    }
  }
  if (lineId === null) {
    const { id, name } = await getApplication(context, userId, applicationId ?? '')
    const href = applicationPath(id)
    return {
      what: 'application',
      name,
      href,
      isOn: true,
      switchPath: href,
      activityPath: `${href}#deliveries`,
    }
  }
  const { name } = await getOwnLine(context, userId, lineId)
  const { enabled } = await getConnection(context, userId, lineId)
  return {
    what: 'line',
    name,
    href: sectionPath(lineId, isOutgoingWebhook ? 'outgoing-webhook' : 'endpoints'),
    isOn: enabled,
    switchPath: sectionPath(lineId, 'connection'),
    activityPath: `/console/activity?line=${lineId}`,
  }
}

/** Finds the newest first, at most one more than is shown. */
function findHeld({ db }: Context, userId: string, lineId: string | null, endpointId: string) {
  if (lineId === null) {
    return listAccountDeliveries(db, userId, { endpointId, status: 'held' }, { limit: MAX_SHOWN + 1 })
  }
  return listDeliveries(db, userId, { lineId, endpointId, status: 'held' }, { limit: MAX_SHOWN + 1 })
}
