/** What an endpoint's state is told by. */
export interface EndpointFacts {
  /** null: no event was sent to it yet. */
  calledAt: Date | null
  failingSince: Date | null
  disabledAt: Date | null
  pausedAt: Date | null
}

/** The worst first, because what is behind it cannot be seen before that is mended. `new`: no event was sent to it yet. */
export const ENDPOINT_STATES = ['disabled', 'failing', 'paused', 'new', 'working'] as const

export type EndpointState = (typeof ENDPOINT_STATES)[number]

export function endpointStateOf({
  disabledAt,
  failingSince,
  pausedAt,
  calledAt,
}: EndpointFacts): EndpointState {
  if (disabledAt !== null) return 'disabled'
  if (failingSince !== null) return 'failing'
  if (pausedAt !== null) return 'paused'
  return calledAt === null ? 'new' : 'working'
}
