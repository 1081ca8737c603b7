import type { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Context } from '../../domain/context.js'
import { findPortalSession } from '../../domain/people/portal.js'
import { findSession } from '../../domain/people/sessions.js'
import { Unavailable, UserError } from '../../errors.js'
import { liveStreams } from '../../telemetry/metrics.js'
import { HEARTBEAT_MS, LIFE_MS, openEventStream, type StreamKind } from '../event-streams.js'
import { sessionOf, type SessionState } from './people/session.js'

/** A second still feels immediate to people. Each open page costs its query this often. */
const EVERY_MS = 1000
/** Most browsers have one stream for all of their pages, so ten are more than a user has open. */
export const PAGES: StreamKind = {
  max: 200,
  maxOfUser: 10,
  tooManyOfUser: 'You have too many pages open that update automatically. Close some',
  tooMany: 'Too many pages that update automatically are open. Try again later',
  gauge: liveStreams,
  failed: 'live.failed',
}

/**
 * Keeps a piece of a page up to date, by server-sent events: it is rendered once a second and sent when it has
 * changed. Its data are in Postgres, whichever process wrote them; so this needs no bus between processes,
 * loses nothing when a connection is lost, and works the same with any number of `web`.
 *
 * The page names the route in `data-live`, and `assets/live.js` swaps in what comes. A browser has one stream for all
 * of its pages (`live/shared.ts`); one that has no shared workers opens this one for each. Ends with the session.
 *
 * @param check refuses what is invalid or not there, because a stream that has begun cannot answer with an error
 * @throws UserError 401 if the page is another session's, 429 if the user has too many such pages open; Unavailable if
 *   all users together have
 */
export function live(
  context: Context,
  render: (ctx: KoaContext) => Promise<VNode>,
  check?: (ctx: KoaContext) => unknown,
): Middleware {
  return async (ctx) => {
    await check?.(ctx)
    const state = ctx.state as PieceState
    if (state.isPiece === true) state.render = () => render(ctx)
    else {
      requireSessionOfPage(ctx)
      let shown = ''
      const look = async function* () {
        const html = renderToString(await render(ctx))
        if (html !== shown) yield toEvent((shown = html))
      }
      openEventStream(context, ctx, sessionOf(ctx).userId, PAGES, (stream) =>
        lookOften(context, ctx, stream, look),
      )
    }
  }
}

/**
 * A page names its session. It may have been left open when somebody else signed in, whose data it must not show.
 *
 * @throws UserError 401
 */
export function requireSessionOfPage(ctx: KoaContext): void {
  const { session } = ctx.query
  if (session !== undefined && session !== sessionOf(ctx).id) {
    throw new UserError('Your session has ended. Reload the page', 401)
  }
}

/**
 * With this state, a stream for several pages asks a page's route for a function that renders its piece, instead of a
 * stream.
 */
export interface PieceState {
  isPiece?: true
  render?: () => Promise<VNode>
}

/**
 * Looks once a second and sends what is new, until the session or the life of the stream ends.
 *
 * @param look makes the events; it throws a UserError if there is nothing to show any more
 */
export async function lookOften(
  context: Context,
  ctx: KoaContext,
  stream: PassThrough,
  look: () => AsyncIterable<string>,
): Promise<void> {
  const startedAt = performance.now()
  let saidAt = -HEARTBEAT_MS
  const say = (what: string) => {
    stream.write(what)
    saidAt = performance.now()
  }
  while (!stream.destroyed && performance.now() - startedAt < LIFE_MS) {
    try {
      if (!(await isSignedIn(context, ctx))) return
      // Nothing is read for a reader that does not keep up: it misses states in between, never the newest.
      if (!stream.writableNeedDrain) for await (const event of look()) say(event)
      if (performance.now() - saidAt >= HEARTBEAT_MS) say(': still here\n\n')
    } catch (error) {
      // Postgres may be back before the reader notices.
      if (!(error instanceof Unavailable)) throw error
    }
    await sleep(EVERY_MS)
  }
}

async function isSignedIn(context: Context, ctx: KoaContext): Promise<boolean> {
  const { session, browserToken = '' } = ctx.state as SessionState
  if (session?.portalLineIds !== undefined) {
    return (await findPortalSession(context, browserToken)) !== undefined
  }
  return (await findSession(context, browserToken, { isUsed: false })) !== undefined
}

function toEvent(html: string): string {
  return `${html
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
}
