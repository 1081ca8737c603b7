import type { RouterMiddleware } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../domain/context.js'
import { getHostedMedia, type MediaFile } from '../domain/media/hosting.js'
import { readRange } from './input/range.js'

/** What browsers show or play by themselves; everything else is for saving. */
export const SHOWN = /^(image\/(png|jpeg|gif|webp)$|audio\/(mpeg|wav|ogg|mp4|webm)$|video\/(mp4|webm)$)/

/** A client that takes nothing for so long is cut off, and the file is closed. */
const STALLED_MS = 30_000

/** Our copy of what a line sent or received, for everybody who has its URL: carriers, developers, people. */
export function getMedia(context: Context): RouterMiddleware {
  return async (ctx) => {
    await answerMedia(ctx, await getHostedMedia(context, ctx.params.token ?? ''), {
      // A copy never changes, and is not for shared caches.
      cacheControl: 'private, max-age=31536000, immutable',
    })
  }
}

/**
 * The bytes decided the type; a browser that is sent here shows them in a sandbox, where nothing runs. Ranges: Safari
 * plays no recording without them.
 */
export async function answerMedia(
  ctx: KoaContext,
  { contentType, byteCount, open }: MediaFile,
  { cacheControl }: { cacheControl: string },
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
