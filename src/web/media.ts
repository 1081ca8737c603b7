import type { RouterMiddleware } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { getHostedMedia, type MediaFile } from '../domain/media/hosting.js'
import { FOREVER } from './assets.js'
import { readRange } from './input/range.js'

/** The types that browsers show or play by themselves; everything else is only for saving. */
export const SHOWN = /^(image\/(png|jpeg|gif|webp)$|audio\/(mpeg|wav|ogg|mp4|webm)$|video\/(mp4|webm)$)/

/** A client that takes nothing for this long is cut off, and the file is closed. */
const STALLED_MS = 30_000

/** Serves our copies of sent and received media to everyone who has the URL: carriers, developers, people. */
export function getMedia(context: Context): RouterMiddleware {
  return async (ctx) => {
    const media = await getHostedMedia(context, ctx.params.token ?? '')
    // A copy never changes, and is not for shared caches.
    await answerMedia(ctx, media, `private, ${FOREVER}`)
  }
}

/**
 * Answers with media. The bytes decided the type; a browser shows them in a sandbox, where nothing runs. Ranges are
 * supported because Safari plays no recording without them.
 */
export async function answerMedia(
  ctx: KoaContext,
  { contentType, byteCount, open }: MediaFile,
  cacheControl: string,
): Promise<void> {
  const range = readRange(ctx.get('Range'), byteCount)
  const bytes = ctx.method === 'HEAD' ? undefined : await open(range)
  ctx.set({
    'Content-Type': contentType,
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Content-Disposition': SHOWN.test(contentType) ? 'inline' : 'attachment',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': cacheControl,
    'Accept-Ranges': 'bytes',
  })
  ctx.status = range === undefined ? 200 : 206
  if (range !== undefined) ctx.set('Content-Range', `bytes ${range.first}-${range.last}/${byteCount}`)
  ctx.res.setTimeout(STALLED_MS, () => {
    ctx.res.destroy()
  })
  // Koa closes the stream when the client goes away.
  if (bytes !== undefined) ctx.body = bytes
  ctx.length = range === undefined ? byteCount : range.last - range.first + 1
}
