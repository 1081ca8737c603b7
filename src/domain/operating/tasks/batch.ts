/** The result of a batch. */
export interface Batch {
  /** The number of items that it has handled. */
  count: number
  /** True if nothing is left. */
  isLast: boolean
  /** The wait before the next one. */
  waitMs: number
  /** The reason, in words, if the task cannot continue. */
  error?: string
}
