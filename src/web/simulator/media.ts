import type { RouterMiddleware } from '@koa/router'
import type { Context } from '../../domain/context.js'
import { getMedia } from '../../domain/simulator/media.js'
import { readRange } from './range.js'

/**
 * What a phone attached, for whoever was given its URL. The bytes decided its type; a browser that is sent here
 * shows it in a sandbox, where nothing runs. Ranges: Safari plays no recording without them.
 */
export function getSimulatorMedia(context: Context): RouterMiddleware {
  return async (ctx) => {
    const { contentType, bytes } = await getMedia(context, ctx.params.token ?? '')
    ctx.set({
      'Content-Type': contentType,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'Content-Disposition': 'inline',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'private, max-age=86400',
      'Accept-Ranges': 'bytes',
    })
    const range = readRange(ctx.get('Range'), bytes.length)
    if (range === undefined) {
      ctx.body = bytes
    } else {
      ctx.status = 206
      ctx.set('Content-Range', `bytes ${range.first}-${range.last}/${bytes.length}`)
      ctx.body = bytes.subarray(range.first, range.last + 1)
    }
  }
}
