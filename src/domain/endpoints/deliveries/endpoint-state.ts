/** The facts that determine an endpoint's state. */
export interface EndpointFacts {
  /** null if no event was sent to it yet. */
  calledAt: Date | null
  failingSince: Date | null
  disabledAt: Date | null
  pausedAt: Date | null
}

/**
 * The states, worst first, because each hides those after it until it is fixed. `new` means that no event was sent to
 * it yet.
 */
export const ENDPOINT_STATES = ['disabled', 'failing', 'paused', 'new', 'healthy'] as const

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
  return calledAt === null ? 'new' : 'healthy'
}
