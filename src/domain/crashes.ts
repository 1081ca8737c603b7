/**
 * A row whose job has crashed this often is given up, and shown as failed: otherwise it would crash workers forever. So
 * is a background task that has lost this many processes in a row.
 */
export const MAX_CRASHES = 5

/** A row whose worker died this often in a row is tried in a separate process, where it can harm no other work. */
export const MAX_LOST = 3

/**
 * How long a row is left alone after a crash. Without a pause, its five tries would be over before the fault could be
 * fixed; a longer pause only makes other messages to the number wait behind it.
 */
export const CRASH_WAIT_MS = 5000
