/** A row that was worked on when its job crashed so often is dead, and shown as such (reliability: poison job). */
export const MAX_CRASHES = 5
