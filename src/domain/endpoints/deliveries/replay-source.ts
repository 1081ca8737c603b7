import { findEndpointsOfLine } from '../../../database/endpoints/deliveries/creating.js'
import type { EventType } from '../../../database/endpoints/events.js'
import type { ReplayFilter, ReplayOutcome, ReplayTo } from '../../../database/endpoints/replaying.js'
import { UserError } from '../../../errors.js'
import { getApplication } from '../../applications/applications.js'
import { NO_ENDPOINT_URL } from '../../applications/endpoint.js'
import { requireEnabled, requireLine } from '../../lines/connection-requirements.js'
import type { Context } from '../../context.js'
import { NO_URL } from '../signing-secrets.js'

/** Whose events: a line's to its own URL, also those of the line to applications, an application's, or all. */
export type ReplayOf =
  | {
      of: 'line'
      userId: string
      id: string
      /** A further one; left out: the outgoing webhook URL. */
      endpointId?: string | undefined
    }
  | { of: 'line_and_applications'; userId: string; id: string }
  | { of: 'application'; userId: string; id: string }
  /** What went to the application from one line of the user, for the application itself. */
  | { of: 'connected_line'; userId: string; id: string; applicationId: string }
  | { of: 'all' }

/** What was asked, as the row of the work has it. */
export interface AskedReplay {
  of: ReplayOf['of']
  /** A line's further endpoint. */
  endpointId?: string
  from: string
  until: string
  types?: EventType[]
  outcome: ReplayOutcome
  perSecond: number
  url?: string
}

/** More are not counted in one statement. */
export const MAX_COUNTED = 10_000

/** Which events are meant, and to whom they go. */
export interface ReplaySource {
  filter: ReplayFilter
  to: ReplayTo
}

/** @throws UserError 404, 409 when there is nobody to send to, or no secret to sign with */
export async function findSource(
  context: Context,
  whose: ReplayOf,
  asked: Omit<AskedReplay, 'of'>,
): Promise<ReplaySource> {
  const { from, until, types, outcome } = asked
  return {
    to: asked.url === undefined ? 'endpoints' : 'url',
    filter: {
      ...(await findReceivers(context, whose, asked.url !== undefined)),
      from: new Date(from),
      until: new Date(until),
      outcome,
      ...(types === undefined ? {} : { types }),
    },
  }
}

type Receivers = Pick<ReplayFilter, 'lineId' | 'applicationId' | 'endpointIds'>

async function findReceivers(context: Context, whose: ReplayOf, isToUrl: boolean): Promise<Receivers> {
  switch (whose.of) {
    case 'all':
      return {}
    case 'line_and_applications':
      await requireLine(context.db, whose.userId, whose.id)
      return { lineId: whose.id }
    case 'application': {
      const endpoint = await getApplication(context, whose.userId, whose.id)
      return { applicationId: whose.id, endpointIds: usable(endpoint, isToUrl, NO_ENDPOINT_URL) }
    }
    case 'connected_line': {
      const { id: lineId, applicationId, userId } = whose
      await requireLine(context.db, userId, lineId)
      const endpoints = await findEndpointsOfLine(context.db, lineId)
      const own = endpoints.filter((each) => each.applicationId === applicationId)
      if (own.length === 0) throw new UserError(GETS_NONE, 409)
      if (own.some(({ isDisabled }) => isDisabled)) throw new UserError(IS_DISABLED, 409)
      return { lineId, applicationId, endpointIds: own.map(({ endpointId }) => endpointId) }
    }
    case 'line': {
      const { userId, id, endpointId } = whose
      const endpoint = await requireEnabled(context.db, userId, id, { endpointId })
      return { lineId: id, applicationId: null, endpointIds: usable(endpoint, isToUrl, NO_URL) }
    }
  }
}

/** @throws UserError 409 */
function usable(
  endpoint: { endpointId: string | null; endpointDisabledAt: Date | null },
  isToUrl: boolean,
  withoutUrl: string,
): string[] {
  if (endpoint.endpointId === null) throw new UserError(withoutUrl, 409)
  if (!isToUrl && endpoint.endpointDisabledAt !== null) throw new UserError(IS_DISABLED, 409)
  return [endpoint.endpointId]
}

const GETS_NONE = 'this application has no webhook URL, or gets no events of this line'

const IS_DISABLED = 'the endpoint is disabled, because it failed: enable it first, or give another URL'
