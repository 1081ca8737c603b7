import type {
  EndpointFacts,
  EndpointState as State,
} from '../../../domain/endpoints/deliveries/endpoint-state.js'
import { badgeOfEndpoint } from '../../../domain/operating/causes.js'
import { MoodBadge } from '../status.js'

/** The words of the filter by state. A failing endpoint itself shows how it fails. */
export const STATE_LABELS: Record<State, string> = {
  disabled: 'Disabled',
  failing: 'Failing',
  paused: 'Paused',
  new: 'Not called yet',
  healthy: 'Healthy',
}

/** @param props.endpoint null if there is no outgoing webhook */
export function EndpointState({
  endpoint,
}: {
  endpoint: (EndpointFacts & { lastFailure: string | null }) | null
}) {
  if (endpoint === null) return <span class="muted">No URL</span>
  return <MoodBadge {...badgeOfEndpoint(endpoint)} />
}

export function OnOff({ isOn }: { isOn: boolean }) {
  return <span class={isOn ? 'badge good' : 'badge'}>{isOn ? 'on' : 'off'}</span>
}
