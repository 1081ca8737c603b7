import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { Context as KoaContext } from 'koa'
import { CSV } from '../csv.js'
import { Unavailable } from '../errors.js'

/** Each keeps a connection of Postgres busy now and then, for as long as its reader takes. */
const MAX_AT_ONCE = 5
/** A reader who takes nothing for so long is gone. */
const STALLED_MS = 60_000

let runningCount = 0

/** Called before the rows of a download are looked for. @throws Unavailable */
export function requireRoomForDownload(): void {
  if (runningCount >= MAX_AT_ONCE) {
    throw new Unavailable('too many downloads are running: try again in a minute', 60)
  }
}

/**
 * Answers with a file that is made while it is read, as fast as the other end takes it. What fails on the way breaks it off,
 * so that nobody takes a part for the whole.
 *
 * @param name without the day and the ending, which are added
 */
export function answerDownload(
  ctx: KoaContext,
  { name, ending, source }: { name: string; ending: keyof typeof TYPES; source: Readable },
): void {
  runningCount += 1
  source.once('close', () => {
    runningCount -= 1
  })
  ctx.attachment(`linehook-${name}-${new Date().toISOString().slice(0, 10)}.${ending}`)
  ctx.type = TYPES[ending]
  ctx.res.setTimeout(STALLED_MS, () => source.destroy(new Error('the reader stalled')))
  ctx.body = source
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  zip: 'application/zip',
}

export function csvOf(rows: AsyncIterable<Record<string, unknown>>): Readable {
  return pipeline(Readable.from(rows), stringify(CSV), () => undefined)
}

/** A line of JSON for each row. */
export function jsonLinesOf(rows: AsyncIterable<object>): Readable {
  return Readable.from(mapped(rows, (row) => `${JSON.stringify(row)}\n`))
}

export async function* mapped<From, To>(
  rows: AsyncIterable<From>,
  map: (row: From) => To,
): AsyncGenerator<To> {
  for await (const row of rows) yield map(row)
}
