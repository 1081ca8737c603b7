import type { Database } from '../connection.js'

/** Yields every line, in batches: a person is looked up on each by an index of that line. */
export async function* eachLineBatch(db: Database, atOnce: number): AsyncGenerator<string[]> {
  for (let last: string | undefined; ;) {
    const ids = await db('lines')
      .modify((query) => {
        if (last !== undefined) void query.where('id', '>', last)
      })
      .orderBy('id')
      .limit(atOnce)
      .pluck<string[]>('id')
    if (ids.length > 0) yield ids
    if (ids.length < atOnce) return
    last = ids.at(-1)
  }
}
