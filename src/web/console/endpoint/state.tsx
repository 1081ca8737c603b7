/** What an endpoint's state is told by. */
export interface EndpointFacts {
  /** null: no event was sent to it yet. */
  calledAt: Date | null
  failingSince: Date | null
  disabledAt: Date | null
  pausedAt: Date | null
}

/** @param props.endpoint null: there is no outgoing webhook URL */
export function EndpointState({ endpoint }: { endpoint: EndpointFacts | null }) {
  if (endpoint === null) return <span class="muted">no URL</span>
  if (endpoint.disabledAt !== null) return <span class="badge bad">disabled</span>
  if (endpoint.failingSince !== null) return <span class="badge bad">failing</span>
  if (endpoint.pausedAt !== null) return <span class="badge bad">paused</span>
  if (endpoint.calledAt === null) return <span class="badge">not called yet</span>
  return <span class="badge good">works</span>
}

export function OnOff({ isOn }: { isOn: boolean }) {
  return <span class={isOn ? 'badge good' : 'badge'}>{isOn ? 'on' : 'off'}</span>
}
