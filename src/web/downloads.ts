import { pipeline, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'csv-stringify'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { getUser } from '../domain/people/users.js'
import { CSV } from '../kit/text/csv.js'
import { asError, Unavailable, UserError } from '../errors.js'
import { actorOf } from './actor.js'
import type { SessionState } from './console/people/session.js'
import { isStillCaller } from './middleware/authenticate.js'

/** Each keeps a connection of Postgres busy now and then, as long as its reader takes. */
const MAX_AT_ONCE = 5
/** One user leaves room for others. */
const MAX_AT_ONCE_OF_ONE = 2
/** A reader that takes nothing for this long is gone. */
const STALLED_MS = 60_000
/** The reader's access is checked as often as that of a stream. */
const EVERY_MS = 1000

/** The users whose downloads are running. */
const running: string[] = []

/**
 * Called before the rows of a download are queried.
 *
 * @throws UserError 429; Unavailable
 */
export function requireRoomForDownload(ctx: KoaContext): void {
  const who = readerOf(ctx)
  if (running.filter((each) => each === who).length >= MAX_AT_ONCE_OF_ONE) {
    throw new UserError(`You have ${MAX_AT_ONCE_OF_ONE} downloads running. Wait until one is done`, 429, 60)
  }
  if (running.length >= MAX_AT_ONCE) {
    throw new Unavailable('Too many downloads are running. Try again in a minute', 60)
  }
}

function readerOf(ctx: KoaContext): string {
  return actorOf(ctx).userId ?? ctx.ip
}

/**
 * Answers with a file that is made while it is read, as fast as the other end takes it. An error on the way breaks it
 * off, so that a part is not mistaken for the whole; and so does the end of the reader's access, because a slow reader
 * could go on for hours.
 *
 * @param name the name without the day and the extension, which are added
 */
export function answerDownload(
  context: Context,
  ctx: KoaContext,
  { name, ending, source }: { name: string; ending: keyof typeof TYPES; source: Readable },
): void {
  takePlace(ctx, source)
  ctx.attachment(`linehook-${name}-${new Date().toISOString().slice(0, 10)}.${ending}`)
  ctx.type = TYPES[ending]
  ctx.res.setTimeout(STALLED_MS, () => source.destroy(new Error('the reader stalled')))
  ctx.body = source
  void breakOffWithAccess(context, ctx, source)
}

async function breakOffWithAccess(context: Context, ctx: KoaContext, source: Readable): Promise<void> {
  for (;;) {
    await sleep(EVERY_MS, undefined, { ref: false })
    if (source.destroyed) return
    try {
      if (!(await mayGoOn(context, ctx))) source.destroy(new Error("the reader's access has ended"))
    } catch (error) {
      // The rows come from Postgres too, so they wait as well.
      if (!(error instanceof Unavailable)) source.destroy(asError(error))
    }
  }
}

/** A session may end by itself while its download runs, so only its user counts. */
async function mayGoOn(context: Context, ctx: KoaContext): Promise<boolean> {
  const { session } = ctx.state as SessionState
  if (session === undefined) return isStillCaller(context, ctx)
  return (await getUser(context, session.userId)).disabledAt === null
}

/** @throws UserError 429, Unavailable: concurrent downloads may all have passed the earlier check */
function takePlace(ctx: KoaContext, source: Readable): void {
  try {
    requireRoomForDownload(ctx)
  } catch (error) {
    source.destroy()
    throw error
  }
  const who = readerOf(ctx)
  running.push(who)
  source.once('close', () => {
    running.splice(running.indexOf(who), 1)
  })
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  zip: 'application/zip',
}

export function csvOf(
  rows: AsyncIterable<Record<string, unknown>> | Iterable<Record<string, unknown>>,
): Readable {
  return pipeline(Readable.from(rows), stringify(CSV), () => undefined)
}

/**
 * Answers with rows that are in memory already. A client that accepts `text/csv` and no JSON gets them as a file.
 *
 * @returns the answer for others; undefined if it is answered already
 */
export function answerRows<T>(
  context: Context,
  ctx: KoaContext,
  name: string,
  rows: T[],
  rowsOfFile: () => Record<string, unknown>[],
): T[] | undefined {
  ctx.vary('Accept')
  if (ctx.accepts('application/json', 'text/csv') !== 'text/csv') return rows
  answerDownload(context, ctx, { name, ending: 'csv', source: csvOf(rowsOfFile()) })
  return undefined
}

export function jsonLinesOf(rows: AsyncIterable<object>): Readable {
  return Readable.from(mapped(rows, (row) => `${JSON.stringify(row)}\n`))
}

export async function* mapped<From, To>(
  rows: AsyncIterable<From>,
  map: (row: From) => To,
): AsyncGenerator<To> {
  for await (const row of rows) yield map(row)
}
