/** A row whose job has crashed so often is given up, and shown as failed: else it would crash workers for ever. */
export const MAX_CRASHES = 5

/** A row whose worker died so often in a row is tried in a process of its own, where it can harm no other work. */
export const MAX_LOST = 3

/**
 * How long a row is left alone after a crash. Without a pause its five tries would be over before anything could mend its
 * fault; a longer one only keeps other messages of the number waiting behind it.
 */
export const CRASH_WAIT_MS = 5000
