import type { EndpointHealth, LineHealth } from '../../../../database/lines/line-health.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { failureCode } from '../../../../domain/operating/causes.js'
import { endpointStateOf } from '../../../../domain/endpoints/deliveries/endpoint-state.js'

type Named = Pick<OwnLine, 'status' | 'pausedAt' | 'pausedCountries'>
type Badge = readonly [mood: string, words: string]

const HELD: Badge = ['info paused', 'held events']

/**
 * Shows the worst thing that there is to say about a line.
 *
 * @param props.health undefined if the line was added a moment ago
 */
export function LineState({ line, health }: { line: Named; health: LineHealth | undefined }) {
  const [mood, words] = stateOf(line, health)
  return <span class={`badge ${mood}`}>{words}</span>
}

function stateOf({ status, pausedAt, pausedCountries }: Named, health: LineHealth | undefined): Badge {
  if (status === 'disabled') return ['bad', 'disabled']
  const ofEndpoints = (health?.endpoints ?? []).flatMap((endpoint) => stateOfEndpoint(endpoint))
  const bad = ofEndpoints.find(([mood]) => mood === 'bad')
  if (bad !== undefined) return bad
  if (pausedCountries !== null) return ['bad', 'refusing']
  if (pausedAt !== null) return ['info paused', 'paused']
  if (health?.unheardSince != null) return ['waiting', 'no endpoint']
  return ofEndpoints[0] ?? ['good', 'healthy']
}

function stateOfEndpoint(endpoint: EndpointHealth): Badge[] {
  switch (endpointStateOf(endpoint)) {
    case 'disabled':
      return [['bad', 'endpoint disabled']]
    case 'failing':
      return [['bad', failureCode(endpoint.lastFailure)]]
    case 'paused':
      return [['info paused', 'events paused']]
    case 'new':
    case 'working':
      return endpoint.hasHeld ? [HELD] : []
  }
}
