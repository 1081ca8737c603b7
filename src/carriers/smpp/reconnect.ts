/**
 * A shorter wait would flood an SMSC that ends each session immediately. With a longer one, messages that wait for a
 * session would give up.
 */
const BASE_MS = 500
/**
 * An SMSC that was down for hours gets its sessions back within half a minute of its return. Until then, it gets two
 * tries a minute.
 */
const CAP_MS = 30_000

/**
 * Returns the number of failures in a row after a session that has lived this long. A session that ends soon after its
 * bind is a failure as well: an SMSC may end each one immediately, or send something that ends it.
 */
export function failuresAfter(failureCount: number, livedMs: number): number {
  return livedMs < CAP_MS ? failureCount + 1 : 0
}

/**
 * The wait after the nth failure in a row (from 1) to connect and bind: doubled each time, capped, and up to a fifth
 * shorter or longer, so that the sessions that an SMSC's restart has cut do not all come back together.
 *
 * @param random from [0, 1)
 */
export function reconnectMs(failureCount: number, random: number): number {
  const step = Math.min(BASE_MS * 2 ** (failureCount - 1), CAP_MS)
  return Math.round(step * (0.8 + 0.4 * random))
}
