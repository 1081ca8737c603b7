import { PassThrough } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { asError, Unavailable, UserError } from '../errors.js'

/** Something is sent this often, because proxies take a quiet stream for a dead one. */
export const HEARTBEAT_MS = 15_000
/** A stream ends after this time and its reader reconnects automatically, so the stream's data never get old. */
export const LIFE_MS = 300_000

/** The limits on open streams of a kind, in this process. */
export interface StreamKind {
  max: number
  maxOfUser: number
  /** The errors for a user with too many, and for all users when there are too many in all. */
  tooManyOfUser: string
  tooMany: string
  gauge: { inc(): void; dec(): void }
  /** The name of the log line of a stream that failed. */
  failed: string
}

/** The open streams of each installation. */
const openStreams = new WeakMap<Context['db'], Set<{ kind: StreamKind; userId: string }>>()

/**
 * Answers with server-sent events, which `run` writes until it returns or the stream is destroyed. It returns quietly
 * on a UserError: what it shows no longer exists.
 *
 * @throws UserError 429 if the user has too many such streams open; Unavailable if all users together have
 */
export function openEventStream(
  context: Context,
  ctx: KoaContext,
  userId: string,
  kind: StreamKind,
  run: (stream: PassThrough) => Promise<void>,
): void {
  const open = openStreams.get(context.db) ?? new Set()
  openStreams.set(context.db, open)
  const ofKind = [...open].filter((each) => each.kind === kind)
  if (ofKind.filter((each) => each.userId === userId).length >= kind.maxOfUser)
    throw new UserError(kind.tooManyOfUser, 429, 10)
  if (ofKind.length >= kind.max) throw new Unavailable(kind.tooMany, 10)
  const stream = new PassThrough()
  const place = { kind, userId }
  open.add(place)
  kind.gauge.inc()
  // The stream is forgotten immediately, because a person who goes from page to page opens one after the other.
  stream.once('close', () => {
    open.delete(place)
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
