import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Context } from '../../domain/context.js'
import { findSession } from '../../domain/sessions.js'
import { asError, Unavailable, UserError } from '../../errors.js'
import type { SessionState } from './session.js'

const EVERY_MS = 1000
/** So that proxies do not take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** The browser connects again by itself; so nothing that a stream holds gets old. */
const LIFE_MS = 300_000
const MAX_STREAMS = 200

const streamCounts = new WeakMap<Context, number>()

/**
 * A piece of a page that keeps itself up to date, by server-sent events: it is rendered once a second and sent
 * when it has changed. What it shows is in Postgres, whichever process wrote it; so this needs no bus between
 * processes, loses nothing when a connection is lost, and works the same with any number of `web`.
 *
 * The page names the route in `hx-sse:connect`, and htmx swaps what comes. Ends with the session.
 *
 * @throws Unavailable when too many pages are open
 */
export function live(context: Context, render: (ctx: KoaContext) => Promise<VNode>): Middleware {
  return (ctx) => {
    const count = streamCounts.get(context) ?? 0
    if (count >= MAX_STREAMS) throw new Unavailable('too many live pages are open', 10)
    streamCounts.set(context, count + 1)
    const stream = new PassThrough()
    ctx.type = 'text/event-stream'
    ctx.set('X-Accel-Buffering', 'no')
    ctx.body = stream
    void run(context, ctx, stream, () => render(ctx)).finally(() => {
      streamCounts.set(context, (streamCounts.get(context) ?? 1) - 1)
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
      // A reader that is slow misses what lies between, never the newest.
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
