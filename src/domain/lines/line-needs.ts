import type { EndpointHealth, LineHealth } from '../../database/lines/line-health.js'
import type { OwnLine } from '../../database/lines/lines.js'
import { countryName } from '../messages/country-guard.js'
import { endpointStateOf, type EndpointState } from '../endpoints/deliveries/endpoint-state.js'

/** What a line's owner has to look at. */
export interface LineNeed {
  /** The end of a sentence that has named the line. */
  text: string
  /** What it is about. */
  of: 'line' | 'sending' | 'endpoint'
  endpointId?: string
}

const OF_ENDPOINT: Partial<Record<EndpointState, string>> = {
  disabled: 'an endpoint is disabled, and its events are held',
  failing: 'an endpoint fails',
  paused: 'the events to an endpoint are paused',
}

/** The worst alone; undefined: nothing. */
export function needOfLine(
  { status, pausedAt, pausedCountries }: Pick<OwnLine, 'status' | 'pausedAt' | 'pausedCountries'>,
  { endpoints }: Pick<LineHealth, 'endpoints'>,
): LineNeed | undefined {
  if (status === 'disabled') return { of: 'line', text: 'it is disabled' }
  if (pausedAt !== null) return { of: 'sending', text: 'its sending is paused' }
  if (pausedCountries !== null) {
    return { of: 'sending', text: `messages to ${pausedCountries.map(countryName).join(', ')} are refused` }
  }
  return endpoints.map(needOfEndpoint).find((need) => need !== undefined)
}

function needOfEndpoint(endpoint: EndpointHealth): LineNeed | undefined {
  const text = OF_ENDPOINT[endpointStateOf(endpoint)] ?? (endpoint.hasHeld ? 'it has held events' : undefined)
  return text === undefined ? undefined : { of: 'endpoint', text, endpointId: endpoint.id }
}
