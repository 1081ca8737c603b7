/** What came of a batch. */
export interface Batch {
  /** How many it has taken care of. */
  count: number
  /** Nothing is left. */
  isLast: boolean
  /** The wait before the next one. */
  waitMs: number
  /** The task cannot go on: why, in words. */
  error?: string
}
