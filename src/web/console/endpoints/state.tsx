import {
  ENDPOINT_STATES,
  endpointStateOf,
  type EndpointFacts,
  type EndpointState as State,
} from '../../../domain/endpoints/deliveries/endpoint-state.js'
import { badgeOfEndpoint } from '../../../domain/operating/causes.js'
import type { ListingOf } from '../listing.js'
import { MoodBadge } from '../status.js'

/** The words of the filter by state. A failing endpoint itself shows how it fails. */
const STATE_LABELS: Record<State, string> = {
  disabled: 'Disabled',
  failing: 'Failing',
  paused: 'Paused',
  new: 'Not called yet',
  healthy: 'Healthy',
}

/** Makes the filter of a list by the state of the endpoint that a row has. */
export function byEndpointState<Row>(
  endpointOf: (row: Row) => EndpointFacts | null,
): ListingOf<Row>['states'] {
  const stateOf = (row: Row) => {
    const endpoint = endpointOf(row)
    return endpoint === null ? undefined : endpointStateOf(endpoint)
  }
  return Object.fromEntries(
    ENDPOINT_STATES.map((state) => [
      state,
      { label: STATE_LABELS[state], has: (row) => stateOf(row) === state },
    ]),
  )
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
