/** A mistake that a person could make, and the tests that should notice it. */
export interface Mutant {
  /** What goes wrong by it, in one sentence. */
  breaks: string
  file: string
  /** Stands in the file once. */
  find: string
  replace: string
  /** Of its area: few and quick, for they run for every mutant. */
  tests: readonly string[]
}
