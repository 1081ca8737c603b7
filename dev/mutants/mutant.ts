/** A mistake that a person could make, and the tests that should notice it. */
export interface Mutant {
  /** A sentence that says what goes wrong. */
  breaks: string
  file: string
  /** The text to replace. It stands in the file exactly once. */
  find: string
  replace: string
  /** The test files of its area. They are few and quick, because they run for every mutant. */
  tests: readonly string[]
}
