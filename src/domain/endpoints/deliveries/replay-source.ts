import type { EventType } from '../../../event-types.js'
import { findEndpointsOfLine } from '../../../database/endpoints/deliveries/creating.js'
import type { ReplayFilter, ReplayOutcome, ReplayTo } from '../../../database/endpoints/replaying.js'
import { UserError } from '../../../errors.js'
import { requireEnabled } from '../../lines/connection-requirements.js'
import { getOwnLine } from '../../lines/lines.js'
import type { Context } from '../../context.js'
import { getEndpoint, isOperational, type EndpointCaller, type Endpoint } from '../get-endpoint.js'

/** The events of an endpoint, those of a line to all of its endpoints and to applications, or all. */
export type ReplayOf =
  /** @param lineId limits it to events of this line: an application may replay those of the user who authorized it */
  | {
      of: 'endpoint'
      caller: EndpointCaller
      endpointId: string
      userId: string
      lineId?: string | undefined
    }
  | { of: 'line'; userId: string; lineId: string }
  | { of: 'all' }

/** The request as the row of the task has it. */
export interface AskedReplay {
  of: ReplayOf['of']
  endpointId?: string
  /** True if an application asked for its own events, of a line that is connected to it. */
  isByApplication?: boolean
  from: string
  until: string
  types?: EventType[]
  outcome: ReplayOutcome
  perSecond: number
  url?: string
}

/** More are not counted in one statement. */
export const MAX_COUNTED = 10_000

/** The events that are meant, and their receivers. */
export interface ReplaySource {
  filter: ReplayFilter
  to: ReplayTo
}

/** @throws UserError 400 for a line of others, 404, 409 if there is no receiver, or no secret to sign with */
export async function findSource(
  context: Context,
  whose: ReplayOf,
  asked: Omit<AskedReplay, 'of'>,
): Promise<ReplaySource> {
  const { from, until, types, outcome } = asked
  return {
    to: asked.url === undefined ? 'endpoints' : 'url',
    filter: {
      ...(await findReceivers(context, whose, { isToUrl: asked.url !== undefined })),
      from: new Date(from),
      until: new Date(until),
      outcome,
      ...(types === undefined ? {} : { types }),
    },
  }
}

type Receivers = Pick<ReplayFilter, 'lineId' | 'accountId' | 'applicationId' | 'endpointIds'>

async function findReceivers(
  context: Context,
  whose: ReplayOf,
  { isToUrl }: { isToUrl: boolean },
): Promise<Receivers> {
  if (whose.of === 'all') return {}
  if (whose.of === 'line') {
    await getOwnLine(context, whose.userId, whose.lineId)
    if (!isToUrl) await requireNotAllDisabled(context, whose.lineId)
    return { lineId: whose.lineId }
  }
  const { caller, endpointId, userId, lineId } = whose
  const endpoint = await getEndpoint(context, caller, endpointId)
  requireOwnLine(endpoint, lineId)
  const endpointIds = [endpoint.id]
  if (endpoint.lineId !== null) await requireEnabled(context.db, endpoint.userId, endpoint.lineId)
  if ('applicationId' in caller) await requireConnected(context, userId, lineId, endpoint)
  if (!isToUrl && endpoint.disabledAt !== null) throw new UserError(IS_DISABLED, 409)
  const { applicationId } = endpoint
  if (isOperational(endpoint)) {
    return { accountId: endpoint.userId, applicationId, endpointIds }
  }
  return { lineId: endpoint.lineId ?? lineId, applicationId, endpointIds }
}

/**
 * Only an application's endpoint gets events of several lines. With another line, a replay to an endpoint of one line,
 * or to an operational webhook, would send events that were not asked for.
 *
 * @throws UserError 400
 */
function requireOwnLine(endpoint: Endpoint, lineId: string | undefined): void {
  if (lineId === undefined || lineId === endpoint.lineId) return
  if (endpoint.lineId !== null || isOperational(endpoint)) {
    throw new UserError('lineId: the endpoint gets no events from this line. Leave it out')
  }
}

/**
 * An application may replay only events of a line that is connected to it.
 *
 * @throws UserError 400, 404, 409
 */
async function requireConnected(
  { db }: Context,
  userId: string,
  lineId: string | undefined,
  { id }: Endpoint,
): Promise<void> {
  if (lineId === undefined)
    throw new UserError(
      'lineId is required, because an application can replay the events of only one line at a time',
    )
  await getOwnLine({ db }, userId, lineId)
  const endpoints = await findEndpointsOfLine(db, lineId)
  if (!endpoints.some(({ endpointId }) => endpointId === id)) {
    throw new UserError('This application gets no events from this line', 409)
  }
}

/** @throws UserError 409 */
async function requireNotAllDisabled(context: Context, lineId: string): Promise<void> {
  const ofLine = await findEndpointsOfLine(context.db, lineId)
  const endpoints = await Promise.all(
    ofLine.map(({ endpointId }) => getEndpoint(context, { isOperator: true }, endpointId)),
  )
  if (endpoints.length > 0 && endpoints.every(({ disabledAt }) => disabledAt !== null))
    throw new UserError(IS_DISABLED, 409)
}

const IS_DISABLED = 'The endpoint is disabled. Enable it first, or give another URL'
