import type { EndpointHealth, LineHealth } from '../../database/lines/line-health.js'
import type { OwnLine } from '../../database/lines/lines.js'
import { countryName } from '../messages/country-guard.js'
import { endpointStateOf, type EndpointState } from '../endpoints/deliveries/endpoint-state.js'

/** What a line's owner has to look at. */
export interface LineNeed {
  /** As the end of a sentence that has named the line. */
  text: string
  /** What it is about. */
  of: 'line' | 'sending' | 'endpoint' | 'further endpoint'
}

type OfEndpoint = Extract<LineNeed['of'], 'endpoint' | 'further endpoint'>

const OF_ENDPOINT: Record<OfEndpoint, Partial<Record<EndpointState, string>>> = {
  endpoint: {
    disabled: 'its endpoint is disabled, and events are held',
    failing: 'its endpoint fails',
    paused: 'its events are paused',
  },
  'further endpoint': {
    disabled: 'a further endpoint is disabled, and its events are held',
    failing: 'a further endpoint fails',
    paused: 'the events to a further endpoint are paused',
  },
}

/** The worst alone; undefined: nothing. */
export function needOfLine(
  { status, pausedAt, pausedCountries }: Pick<OwnLine, 'status' | 'pausedAt' | 'pausedCountries'>,
  { endpoint, furtherEndpoints }: Pick<LineHealth, 'endpoint' | 'furtherEndpoints'>,
): LineNeed | undefined {
  if (status === 'disabled') return { of: 'line', text: 'it is disabled' }
  if (pausedAt !== null) return { of: 'sending', text: 'its sending is paused' }
  if (pausedCountries !== null) {
    return { of: 'sending', text: `messages to ${pausedCountries.map(countryName).join(', ')} are refused` }
  }
  return [
    ...(endpoint === null ? [] : [needOf('endpoint', endpoint)]),
    ...furtherEndpoints.map((each) => needOf('further endpoint', each)),
  ].find((need) => need !== undefined)
}

function needOf(of: OfEndpoint, endpoint: EndpointHealth): LineNeed | undefined {
  const text =
    OF_ENDPOINT[of][endpointStateOf(endpoint)] ?? (endpoint.hasHeld ? 'it has held events' : undefined)
  return text === undefined ? undefined : { of, text }
}
