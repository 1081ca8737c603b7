import { Readable } from 'node:stream'
import type { RouterMiddleware } from '@koa/router'
import type { Context } from '../domain/context.js'
import { openUpload } from '../domain/media/uploads.js'
import { answerMedia } from './media.js'

/** Serves an uploaded file to everyone who was given its URL. */
export function getUpload(context: Context): RouterMiddleware {
  return async (ctx) => {
    const { contentType, bytes } = await openUpload(context, ctx.params.token ?? '')
    const file = {
      contentType,
      byteCount: bytes.length,
      open: (range = { first: 0, last: bytes.length }) =>
        Promise.resolve(Readable.from([bytes.subarray(range.first, range.last + 1)])),
    }
    await answerMedia(ctx, file, 'private, max-age=86400')
  }
}
