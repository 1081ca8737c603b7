import type { EndpointHealth, LineHealth } from '../../../../database/lines/line-health.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { badgeOfEndpoint } from '../../../../domain/operating/causes.js'
import { MoodBadge } from '../../status.js'

type Named = Pick<OwnLine, 'status' | 'pausedAt' | 'pausedCountries'>
type Badge = readonly [mood: string, words: string]

/**
 * Shows the worst thing that there is to say about a line.
 *
 * @param props.health undefined if the line was added a moment ago
 */
export function LineState({ line, health }: { line: Named; health: LineHealth | undefined }) {
  const [mood, words] = stateOf(line, health)
  return <MoodBadge mood={mood} code={words} />
}

function stateOf({ status, pausedAt, pausedCountries }: Named, health: LineHealth | undefined): Badge {
  if (status === 'disabled') return ['bad', 'disabled']
  const ofEndpoints = (health?.endpoints ?? []).flatMap((endpoint) => stateOfEndpoint(endpoint))
  const bad = ofEndpoints.find(([mood]) => mood === 'bad')
  if (bad !== undefined) return bad
  if (pausedCountries !== null) return ['bad', 'country paused']
  if (pausedAt !== null) return ['waiting', 'paused']
  if (health?.unheardSince != null) return ['waiting', 'no endpoint']
  if (health?.unknownMessages != null) return ['waiting', 'unknown outcome']
  if (health?.failingMedia != null) return ['waiting', 'media not copied']
  return ofEndpoints[0] ?? ['good', 'healthy']
}

/** Returns the endpoint's badge, if it needs attention. It names the endpoint if a line can have the same badge. */
function stateOfEndpoint(endpoint: EndpointHealth): Badge[] {
  const { mood, code } = badgeOfEndpoint(endpoint)
  if (mood === 'good' || mood === '') return []
  return [[mood, OF_ENDPOINT[code] ?? code]]
}

const OF_ENDPOINT: Record<string, string> = { disabled: 'endpoint disabled', paused: 'events paused' }
