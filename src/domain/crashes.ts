/** A row that was worked on when its job crashed so often is dead, and shown as such (reliability: poison job). */
export const MAX_CRASHES = 5

/** A row whose worker was lost so often in a row is tried in a process of its own. */
export const MAX_LOST = 3

/** So long it is left alone after a crash. */
export const CRASH_WAIT_MS = 5000
