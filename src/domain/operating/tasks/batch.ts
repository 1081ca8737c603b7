/** What came of a batch. */
export interface Batch {
  /** Of how many it has taken care. */
  count: number
  /** Nothing is left. */
  isLast: boolean
  /** Before the next one. */
  waitMs: number
  /** The task cannot go on: why, in words. */
  error?: string
}
