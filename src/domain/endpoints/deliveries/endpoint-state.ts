/** What an endpoint's state is told by. */
export interface EndpointFacts {
  /** null: no event was sent to it yet. */
  calledAt: Date | null
  failingSince: Date | null
  disabledAt: Date | null
  pausedAt: Date | null
}

/** In a word or two; the worst first, because what is behind it cannot be seen before that is mended. */
export type EndpointState = 'disabled' | 'failing' | 'paused' | 'not called yet' | 'works'

export function endpointStateOf({
  disabledAt,
  failingSince,
  pausedAt,
  calledAt,
}: EndpointFacts): EndpointState {
  if (disabledAt !== null) return 'disabled'
  if (failingSince !== null) return 'failing'
  if (pausedAt !== null) return 'paused'
  return calledAt === null ? 'not called yet' : 'works'
}
