import { PassThrough } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { asError, Unavailable, UserError } from '../errors.js'

/** Something is sent so often, because proxies take a quiet stream for a dead one. */
export const HEARTBEAT_MS = 15_000
/** A stream ends after this and its reader connects again by itself, so nothing that a stream holds gets old. */
export const LIFE_MS = 300_000

/** How many streams of a kind may be open, in this process. */
export interface StreamKind {
  max: number
  maxOfUser: number
  /** What is said to whoever has too many, and to everybody when there are too many in all. */
  tooManyOfUser: string
  tooMany: string
  gauge: { inc(): void; dec(): void }
  /** The name of the log line of a stream that failed. */
  failed: string
}

/** The user of each stream that is open, by installation and kind. */
const openStreams = new WeakMap<Context['db'], Map<StreamKind, Map<PassThrough, string>>>()

/**
 * Answers with server-sent events, which `run` writes until it returns or the stream is destroyed. It returns quietly
 * on a UserError: what it shows is not there any more.
 *
 * @throws UserError 429 when the user has too many such streams open; Unavailable when all together have
 */
export function openEventStream(
  context: Context,
  ctx: KoaContext,
  userId: string,
  kind: StreamKind,
  run: (stream: PassThrough) => Promise<void>,
): void {
  const kinds = openStreams.get(context.db) ?? new Map<StreamKind, Map<PassThrough, string>>()
  openStreams.set(context.db, kinds)
  const open = kinds.get(kind) ?? new Map<PassThrough, string>()
  kinds.set(kind, open)
  if ([...open.values()].filter((each) => each === userId).length >= kind.maxOfUser) {
    ctx.set('Retry-After', '10')
    throw new UserError(kind.tooManyOfUser, 429)
  }
  if (open.size >= kind.max) throw new Unavailable(kind.tooMany, 10)
  const stream = new PassThrough()
  open.set(stream, userId)
  kind.gauge.inc()
  // The stream is forgotten at once, because a person who goes from page to page opens one after the other.
  stream.once('close', () => {
    open.delete(stream)
    kind.gauge.dec()
  })
  ctx.type = 'text/event-stream'
  ctx.set('X-Accel-Buffering', 'no')
  ctx.body = stream
  void run(stream)
    .catch((error: unknown) => {
      if (!(error instanceof UserError)) context.log.error({ err: asError(error) }, kind.failed)
    })
    .finally(() => {
      stream.end()
    })
}
