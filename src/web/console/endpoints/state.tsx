import {
  endpointStateOf,
  type EndpointFacts,
  type EndpointState as State,
} from '../../../domain/endpoints/deliveries/endpoint-state.js'

const STATES: Record<State, { words: string; mood: string }> = {
  disabled: { words: 'disabled', mood: ' bad' },
  failing: { words: 'failing', mood: ' bad' },
  paused: { words: 'paused', mood: ' bad' },
  new: { words: 'not called yet', mood: '' },
  working: { words: 'works', mood: ' good' },
}

/** @param props.endpoint null if there is no outgoing webhook */
export function EndpointState({ endpoint }: { endpoint: EndpointFacts | null }) {
  if (endpoint === null) return <span class="muted">no URL</span>
  const { words, mood } = STATES[endpointStateOf(endpoint)]
  return <span class={`badge${mood}`}>{words}</span>
}

export function OnOff({ isOn }: { isOn: boolean }) {
  return <span class={isOn ? 'badge good' : 'badge'}>{isOn ? 'on' : 'off'}</span>
}
