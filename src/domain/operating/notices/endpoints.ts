import { listEndpointsToTell, type ToldEndpoint } from '../../../database/operating/overview/endpoints.js'
import { readOnly } from '../../../database/operating/overview/reading.js'
import type { Context } from '../../context.js'
import { DISABLE_AFTER_MS } from '../../endpoints/deliveries/retry-schedule.js'
import { withHost } from '../overview/endpoints.js'
import { MANY_FAILURES } from '../overview/needs.js'
import type { EndpointDetails } from './kinds.js'
import { subjectsOf, type End, type Trouble, type Watched } from './troubles.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export function watchEndpoints({ db }: Context): Watched {
  return {
    kinds: ['endpoint.failing', 'endpoint.disabled'],
    findTroubles: async (open) => {
      const known = subjectsOf(open)
      const endpoints = await readOnly(db, (trx) => listEndpointsToTell(trx, MANY_FAILURES, known))
      const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
      return {
        troubles: endpoints.flatMap(troubleOf),
        endOf: ({ kind, subject }) => endOf(kind, byId.get(subject)),
      }
    },
  }
}

function troubleOf(endpoint: ToldEndpoint): Trouble[] {
  const { id, userId, disabledReason, consecutiveFailureCount, failedForMs } = endpoint
  // A paused endpoint is not called, so it cannot keep failing.
  if (!endpoint.isInUse || endpoint.isPaused) return []
  const found = { subject: id, userId, afterMs: 0, details: detailsOf(endpoint) }
  if (disabledReason === 'gone' || disabledReason === 'failing') {
    return [{ ...found, kind: 'endpoint.disabled', mark: disabledReason }]
  }
  if (endpoint.disabledAt !== null || consecutiveFailureCount < MANY_FAILURES) return []
  return [{ ...found, kind: 'endpoint.failing', mark: stageOf(failedForMs ?? 0) }]
}

/** Returns the stage that people are notified of. */
function stageOf(failedForMs: number): string {
  if (failedForMs >= DISABLE_AFTER_MS - DAY_MS) return 'a day before it is disabled'
  return failedForMs >= HOUR_MS ? 'after an hour' : 'after some failures'
}

function endOf(kind: string, endpoint: ToldEndpoint | undefined): End {
  if (endpoint === undefined || !endpoint.isInUse) return { kind: 'over' }
  if (endpoint.disabledAt !== null) {
    // An endpoint that was failing and is disabled now is reported as such. Those of a disabled user are inactive.
    return { kind: kind === 'endpoint.failing' ? 'over' : 'unclear' }
  }
  // Until it is called, nobody knows whether a new URL, or one that was enabled again, works.
  if (endpoint.calledAt === null || endpoint.failingSince !== null) return { kind: 'unclear' }
  const { userId } = endpoint
  return { kind: 'recovered', as: 'endpoint.recovered', userId, details: detailsOf(endpoint) }
}

function detailsOf(endpoint: ToldEndpoint): EndpointDetails {
  const { id, userId, lineId, lineName, applicationId, applicationName } = endpoint
  const { disabledReason, consecutiveFailureCount, failedForMs, lastFailure } = endpoint
  return {
    endpointId: id,
    host: withHost(endpoint).host,
    ...{ userId, lineId, lineName, applicationId, applicationName },
    failureCount: consecutiveFailureCount,
    failingForMs: failedForMs === null ? null : Math.round(failedForMs),
    lastFailure,
    reason: disabledReason,
  }
}
