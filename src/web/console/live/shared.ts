import { createHash } from 'node:crypto'
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { RouterContext } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Context } from '../../../domain/context.js'
import { UserError } from '../../../errors.js'
import { openEventStream } from '../../event-streams.js'
import { lookOften, PAGES, requireSessionOfPage, type PieceState } from '../live.js'
import { sessionOf } from '../people/session.js'
import { changesBetween, toPieces } from './changes.js'

/**
 * The pages that a browser may have in view, with room to spare. Each costs its query every second, and one that is not
 * there its look-up.
 */
const MAX_PIECES = 24

/** A page's live piece, and the state of it that the browser has. */
interface Piece {
  /** The path and query of the page's live route. */
  at: string
  /** The mark of the last state that the browser has; '' if it has none. */
  has: string
  pieces: readonly string[]
  render: () => Promise<VNode>
}

/**
 * Sends the live pieces of all pages of a session that a browser has open in one stream: a browser keeps no more than
 * six connections to a host over HTTP/1.1, and with a stream for each page the seventh page would never load. Each event
 * is JSON: `at`, and either `is` (a mark) with `changes`, or `gone` with a sentence.
 *
 * The query names the page's `session`, and the pieces: `at`, once for each, and `has` beside it, with the mark of what
 * the browser shows.
 */
export function liveOfBrowser(context: Context): Middleware {
  return async (ctx) => {
    requireSessionOfPage(ctx)
    const asked = readAsked(ctx)
    const found = new Set<Piece>()
    const gone: string[] = []
    for (const [n, { at, has }] of asked.entries()) {
      const render = n < MAX_PIECES ? await findRender(ctx, at).catch(refusalOf) : TOO_MANY
      if (typeof render === 'function') found.add({ at, has, pieces: [], render })
      else gone.push(toEvent({ at, gone: render.message }))
    }
    openEventStream(context, ctx, sessionOf(ctx).userId, PAGES, async (stream) => {
      for (const event of gone) stream.write(event)
      await lookOften(context, ctx, stream, () => lookAtAll(found))
    })
  }
}

const TOO_MANY = new UserError('Too many pages that update automatically are open. Try again later', 429)

/** Looks at all pieces. One that is gone is not looked at again. */
async function* lookAtAll(pieces: Set<Piece>) {
  if (pieces.size === 0) throw nothing()
  for (const piece of pieces) {
    const event = await look(piece)
    if (event !== undefined) yield event
    if (piece.pieces.length === 0) pieces.delete(piece)
  }
}

/** Returns what has changed since the last look. A piece that is gone has no pieces left. */
async function look(piece: Piece): Promise<string | undefined> {
  try {
    const html = renderToString(await piece.render())
    const is = createHash('sha256').update(html).digest('base64url').slice(0, 12)
    const isFirst = piece.pieces.length === 0
    const pieces = toPieces(html)
    const changes = changesBetween(piece.pieces, pieces)
    piece.pieces = pieces
    if (is === piece.has) return isFirst ? toEvent({ at: piece.at, is, changes: [] }) : undefined
    piece.has = is
    return toEvent({ at: piece.at, is, changes })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    piece.pieces = []
    return toEvent({ at: piece.at, gone: error.message })
  }
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function readAsked(ctx: KoaContext): { at: string; has: string }[] {
  const has = [ctx.query.has ?? []].flat()
  const asked = [ctx.query.at ?? []].flat().map((at, n) => [at, has[n] ?? ''] as const)
  return [...new Map(asked)].map(([at, mark]) => ({ at, has: mark }))
}

/**
 * Calls the page's route, with all checks before it, as if the browser had requested it alone.
 *
 * @throws UserError as that route does
 */
async function findRender(ctx: KoaContext, at: string): Promise<() => Promise<VNode>> {
  if (!URL.canParse(at, BASE)) throw nothing()
  const { pathname, search } = new URL(at, BASE)
  const { router } = ctx as unknown as RouterContext
  const request = Object.create(ctx.req, { url: { value: pathname + search } }) as IncomingMessage
  const own = ctx.app.createContext(request, new ServerResponse(request)) as unknown as RouterContext
  const state: PieceState = Object.assign(own.state, { isPiece: true as const })
  if (/^\/(console|simulator)\/.+\/live$|^\/simulator\/live$/.test(pathname)) {
    await router.routes()(own, () => Promise.resolve())
  }
  if (state.render === undefined) throw nothing()
  return state.render
}

const BASE = 'http://localhost'

function nothing(): UserError {
  return new UserError('Nothing was found at this path', 404)
}

function refusalOf(error: unknown): UserError {
  if (!(error instanceof UserError)) throw error
  return error
}
