import type { Database } from '../connection.js'

const LINES_AT_ONCE = 200

/** Yields every line, in batches: a person is looked up on each by an index of that line. */
export async function* eachLineBatch(db: Database): AsyncGenerator<string[]> {
  for (let last: string | undefined; ;) {
    const ids = await db('lines')
      .modify((query) => {
        if (last !== undefined) void query.where('id', '>', last)
      })
      .orderBy('id')
      .limit(LINES_AT_ONCE)
      .pluck<string[]>('id')
    if (ids.length > 0) yield ids
    if (ids.length < LINES_AT_ONCE) return
    last = ids.at(-1)
  }
}
