import type { Page } from '../database/lists.js'

const AT_ONCE = 500

/**
 * Yields all rows of a list, newest first, page by page, as fast as they are taken: only a page of them is in memory,
 * however many there are.
 */
export async function* eachRow<Row>(
  read: (page: Page) => Promise<Row[]>,
  idOf: (row: Row) => string,
): AsyncGenerator<Row> {
  for (let page: Page = { limit: AT_ONCE }; ;) {
    const rows = await read(page)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < AT_ONCE) return
    page = { limit: AT_ONCE, before: idOf(last) }
  }
}
