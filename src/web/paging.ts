import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { countParameter, idParameter, momentParameter, numberParameter } from './query.js'
import type { Vocabulary } from '../vocabulary.js'

/** Rows with long texts are some KB each, so a page stays below a megabyte. A reader can ask for more pages. */
export const MAX_LIMIT = 100
/** It fills about two screens of whoever reads the answer. */
export const DEFAULT_LIMIT = 50

/** Of every list that is read page by page, newest first: `before` is the last id that the reader has. */
export const pageParameters = {
  before: idParameter(),
  limit: countParameter(1, MAX_LIMIT).default(DEFAULT_LIMIT),
}

/** Of a list of what happened on lines. */
export function listParameters(vocabulary: Vocabulary) {
  return {
    ...pageParameters,
    lineId: idParameter().label(vocabulary.idField),
    number: numberParameter(),
    from: momentParameter(),
    until: momentParameter(),
  }
}

/**
 * Answers one page as a bare array; when there are older rows, the header `Link` (RFC 8288) has the address of the
 * next page, `rel="next"`.
 *
 * @param find gives at most so many rows
 */
export async function answerList<T extends { id: string }>(
  context: Context,
  ctx: KoaContext,
  limit: number,
  find: (limit: number) => Promise<T[]>,
  present: (row: T) => unknown,
): Promise<void> {
  const found = await find(limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (last !== undefined && found.length > limit) linkNextPage(context, ctx, { before: last.id })
  ctx.body = rows.map(present)
}

/** The header `Link` to the same question, further on. */
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
