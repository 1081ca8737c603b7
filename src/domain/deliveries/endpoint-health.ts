/** An endpoint that has only failed for so long is disabled, and its events are held. */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000
