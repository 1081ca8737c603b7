import type { EndpointHealth, LineHealth } from '../database/line-health.js'
import type { OwnLine } from '../database/lines.js'
import { endpointStateOf, type EndpointState } from './deliveries/endpoint-state.js'

const OF_ENDPOINT: Partial<Record<EndpointState, string>> = {
  disabled: 'its endpoint is disabled, and events are held',
  failing: 'its endpoint fails',
  paused: 'its events are paused',
}

/** What a line's owner has to look at, in words, the worst alone; undefined: nothing. */
export function needOfLine(
  { status, pausedAt }: Pick<OwnLine, 'status' | 'pausedAt'>,
  { endpoint, furtherEndpoints }: Pick<LineHealth, 'endpoint' | 'furtherEndpoints'>,
): string | undefined {
  if (status === 'disabled') return 'it is disabled'
  if (pausedAt !== null) return 'its sending is paused'
  const endpoints = [...(endpoint === null ? [] : [endpoint]), ...furtherEndpoints]
  return endpoints.map(needOfEndpoint).find((need) => need !== undefined)
}

function needOfEndpoint(endpoint: EndpointHealth): string | undefined {
  return OF_ENDPOINT[endpointStateOf(endpoint)] ?? (endpoint.hasHeld ? 'it has held events' : undefined)
}
