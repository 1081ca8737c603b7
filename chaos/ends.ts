/** The things that have to be ended, in the order in which they were begun. */
export class Ends {
  private static readonly open = new Set<Ends>()
  private readonly ends: (() => unknown)[] = []

  /** Ends the things of all instances, after an interruption. */
  static async everything(): Promise<void> {
    await Promise.allSettled([...Ends.open].map((ends) => ends.all()))
  }

  add<T>(begun: T, end: (begun: T) => unknown): T {
    Ends.open.add(this)
    this.ends.push(() => end(begun))
    return begun
  }

  /** Ends the last one first. One that fails to end does not stop the others. */
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
