/** What has to be ended, in the order in which it was begun. */
export class Ends {
  private static readonly open = new Set<Ends>()
  private readonly ends: (() => unknown)[] = []

  /** Of everybody: for an interruption. */
  static async everything(): Promise<void> {
    await Promise.allSettled([...Ends.open].map((ends) => ends.all()))
  }

  add<T>(begun: T, end: (begun: T) => unknown): T {
    Ends.open.add(this)
    this.ends.push(() => end(begun))
    return begun
  }

  /** Last begun, first ended; one that fails does not keep the others. */
  async all(): Promise<void> {
    Ends.open.delete(this)
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
