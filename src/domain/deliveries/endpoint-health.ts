/** An endpoint that has only failed for so long is disabled; its events are held (contract §4). */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000
