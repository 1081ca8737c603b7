import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import type { Page } from '../../database/lists.js'
import type { Context } from '../../domain/context.js'
import { eachRow } from '../../domain/each-row.js'
import { answerDownload, csvOf, mapped, requireRoomForDownload } from '../downloads.js'
import { countParameter, idParameter, momentParameter, numberParameter } from './query.js'

/** Rows with long texts have some KB each, so a page stays below a megabyte. A reader can ask for more pages. */
export const MAX_LIMIT = 100
/** This fills about two screens. */
export const DEFAULT_LIMIT = 50

/** The page of every list that is read newest first: `before` is the last id that the reader has. */
export const pageParameters = {
  before: idParameter().meta({
    about: 'Only entries older than this ID. Give the last ID of the previous page.',
  }),
  limit: countParameter(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .meta({ about: 'The maximum number of entries per page.' }),
}

/** The parameters of a list of past events and messages, with its filters. */
export function listParameters<Filters extends yup.ObjectShape>(filters: Filters) {
  return yup.object({
    lineId: idParameter().meta({ about: 'Only entries of this {line}.' }),
    ...filters,
    number: numberParameter().meta({ about: 'Only with this external number.' }),
    from: momentParameter().meta({ about: 'Only from this time on.' }),
    until: momentParameter().meta({ about: 'Only before this time.' }),
    ...pageParameters,
  })
}

/**
 * Answers one page as a bare array; if there are older rows, the header `Link` (RFC 8288) has the address of the next
 * page, `rel="next"`. A client that accepts `text/csv` and no JSON gets all rows from `before` on, however many there
 * are.
 *
 * @param name the name of the file
 * @throws Unavailable while too many are read as CSV
 */
export async function answerList<T extends { id: string }>(
  { context, ctx }: { context: Context; ctx: KoaContext },
  name: string,
  { before, limit }: Page,
  find: (page: Page) => Promise<T[]>,
  present: (row: T) => object,
): Promise<void> {
  ctx.vary('Accept')
  if (ctx.accepts('application/json', 'text/csv') === 'text/csv') {
    requireRoomForDownload(ctx)
    const rows = eachRow(
      (page) => find({ before, ...page }),
      ({ id }) => id,
    )
    // The first row is read now, so that a refusal comes before the file begins.
    const first = await rows.next()
    const all = mapped(rejoin(first, rows), (row) => present(row) as Record<string, unknown>)
    answerDownload(context, ctx, { name, ending: 'csv', source: csvOf(all) })
    return
  }
  const found = await find({ before, limit: limit + 1 })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (last !== undefined && found.length > limit) linkNextPage(context, ctx, { before: last.id })
  ctx.body = rows.map(present)
}

async function* rejoin<T>(first: IteratorResult<T>, others: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done === true) return
  yield first.value
  yield* others
}

/** Sets the header `Link` to the next page of the same list. */
export function linkNextPage(
  { config, vocabulary }: Context,
  ctx: KoaContext,
  cursor: Record<string, string>,
): void {
  const { lineId, ...others } = vocabulary.canonicalFields(ctx.query)
  const next = { ...others, ...(lineId === undefined ? {} : { [vocabulary.idField]: lineId }), ...cursor }
  const query = new URLSearchParams(
    Object.entries(next).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
    ),
  )
  ctx.set('Link', `<${config.publicUrl}${ctx.path}?${query}>; rel="next"`)
}
