import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Context } from '../../domain/context.js'
import { findSession } from '../../domain/sessions.js'
import { asError, Unavailable, UserError } from '../../errors.js'
import { liveStreams } from '../../telemetry/metrics.js'
import { sessionOf, type SessionState } from './session.js'

/** People take a second for "at once". Each open page costs its query as often as this. */
const EVERY_MS = 1000
/** Something is sent so often, because proxies take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** A stream ends after this and the browser connects again by itself, so nothing that a stream holds gets old. */
const LIFE_MS = 300_000
/** For this process, and for each user in it: more pages than anybody looks at. */
const MAX_STREAMS = 200
const MAX_STREAMS_OF_USER = 10

/** Of a context: the user of each stream that is open. */
const openStreams = new WeakMap<Context, Map<PassThrough, string>>()

/**
 * A piece of a page that keeps itself up to date, by server-sent events: it is rendered once a second and sent
 * when it has changed. What it shows is in Postgres, whichever process wrote it; so this needs no bus between
 * processes, loses nothing when a connection is lost, and works the same with any number of `web`.
 *
 * The page names the route in `hx-sse:connect`, and htmx swaps what comes. Ends with the session.
 *
 * @throws UserError 429 when the user has too many such pages open; Unavailable when all together have
 */
export function live(context: Context, render: (ctx: KoaContext) => Promise<VNode>): Middleware {
  return (ctx) => {
    const open = openStreams.get(context) ?? new Map<PassThrough, string>()
    openStreams.set(context, open)
    const { userId } = sessionOf(ctx)
    if ([...open.values()].filter((each) => each === userId).length >= MAX_STREAMS_OF_USER) {
      ctx.set('Retry-After', '10')
      throw new UserError('you have too many pages open that keep themselves up to date: close some', 429)
    }
    if (open.size >= MAX_STREAMS) throw new Unavailable('too many live pages are open', 10)
    const stream = new PassThrough()
    open.set(stream, userId)
    liveStreams.inc()
    // The stream is forgotten at once, because a person who goes from page to page opens one after the other.
    stream.once('close', () => {
      open.delete(stream)
      liveStreams.dec()
    })
    ctx.type = 'text/event-stream'
    ctx.set('X-Accel-Buffering', 'no')
    ctx.body = stream
    void run(context, ctx, stream, () => render(ctx)).finally(() => {
      stream.end()
    })
    return Promise.resolve()
  }
}

async function run(
  context: Context,
  ctx: KoaContext,
  stream: PassThrough,
  render: () => Promise<VNode>,
): Promise<void> {
  const startedAt = performance.now()
  let shown = ''
  let saidAt = -HEARTBEAT_MS
  while (!stream.destroyed && performance.now() - startedAt < LIFE_MS) {
    try {
      if (!(await isSignedIn(context, ctx))) return
      const html = renderToString(await render())
      const isLate = performance.now() - saidAt >= HEARTBEAT_MS
      // A slow reader misses states in between, never the newest.
      if (!stream.writableNeedDrain && (html !== shown || isLate)) {
        stream.write(html === shown ? ': still here\n\n' : toEvent(html))
        shown = html
        saidAt = performance.now()
      }
    } catch (error) {
      // Postgres may be back before anybody notices.
      if (!(error instanceof Unavailable)) {
        // A UserError: what it shows is not there any more.
        if (!(error instanceof UserError)) context.log.error({ err: asError(error) }, 'live.failed')
        return
      }
    }
    await sleep(EVERY_MS)
  }
}

async function isSignedIn(context: Context, ctx: KoaContext): Promise<boolean> {
  const { browserToken } = ctx.state as SessionState
  return (await findSession(context, browserToken ?? '', { isUsed: false })) !== undefined
}

function toEvent(html: string): string {
  return `${html
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
}
