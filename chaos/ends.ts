/** What has to be ended, in the order in which it was begun. */
export class Ends {
  private readonly ends: (() => unknown)[] = []

  add<T>(begun: T, end: (begun: T) => unknown): T {
    this.ends.push(() => end(begun))
    return begun
  }

  /** Last begun, first ended; one that fails does not keep the others. */
  async all(): Promise<void> {
    const failures: unknown[] = []
    for (const end of this.ends.splice(0).reverse()) {
      try {
        await end()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'something could not be ended')
  }
}
