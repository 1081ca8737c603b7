export interface Backoff {
  baseMs: number
  factor: number
  capMs: number
  /**
   * With 0.2 each wait is up to a fifth shorter or longer, so that messages that failed together are not all retried
   * together.
   */
  jitter: number
}

/**
 * The wait after the nth attempt (from 1), in whole ms: base × factor^(n−1), capped, ± jitter.
 *
 * @param random from [0, 1)
 */
export function backoffMs(
  attempt: number,
  { baseMs, factor, capMs, jitter }: Backoff,
  random: number,
): number {
  const step = Math.min(baseMs * factor ** (attempt - 1), capMs)
  return Math.round(step * (1 - jitter + 2 * jitter * random))
}
