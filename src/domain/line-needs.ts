import type { LineHealth } from '../database/line-health.js'
import type { OwnLine } from '../database/lines.js'
import { countryName } from './country-guard.js'
import { endpointStateOf, type EndpointState } from './deliveries/endpoint-state.js'

/** What a line's owner has to look at. */
export interface LineNeed {
  /** As the end of a sentence that has named the line. */
  text: string
  /** What it is about. */
  of: 'line' | 'sending' | 'endpoint'
}

const OF_ENDPOINT: Partial<Record<EndpointState, string>> = {
  disabled: 'its endpoint is disabled, and events are held',
  failing: 'its endpoint fails',
  paused: 'its events are paused',
}

/** The worst alone; undefined: nothing. */
export function needOfLine(
  { status, pausedAt, pausedCountries }: Pick<OwnLine, 'status' | 'pausedAt' | 'pausedCountries'>,
  { endpoint }: Pick<LineHealth, 'endpoint'>,
): LineNeed | undefined {
  if (status === 'disabled') return { of: 'line', text: 'it is disabled' }
  if (pausedAt !== null) return { of: 'sending', text: 'its sending is paused' }
  if (pausedCountries !== null) {
    return { of: 'sending', text: `messages to ${pausedCountries.map(countryName).join(', ')} are refused` }
  }
  if (endpoint === null) return undefined
  const text = OF_ENDPOINT[endpointStateOf(endpoint)] ?? (endpoint.hasHeld ? 'it has held events' : undefined)
  return text === undefined ? undefined : { of: 'endpoint', text }
}
