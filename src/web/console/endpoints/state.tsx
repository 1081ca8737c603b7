import { endpointStateOf, type EndpointFacts } from '../../../domain/endpoints/deliveries/endpoint-state.js'

/** @param props.endpoint null: there is no outgoing webhook URL */
export function EndpointState({ endpoint }: { endpoint: EndpointFacts | null }) {
  if (endpoint === null) return <span class="muted">no URL</span>
  const state = endpointStateOf(endpoint)
  const mood = state === 'works' ? ' good' : state === 'not called yet' ? '' : ' bad'
  return <span class={`badge${mood}`}>{state}</span>
}

export function OnOff({ isOn }: { isOn: boolean }) {
  return <span class={isOn ? 'badge good' : 'badge'}>{isOn ? 'on' : 'off'}</span>
}
