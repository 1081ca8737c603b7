import type { Middleware } from 'koa'
import { UserError } from '../../errors.js'
import { parseFormFields } from '../input/form-fields.js'
import { readBodyText } from '../input/utf8.js'
import { readPlainBytes } from './body-bytes.js'

/**
 * Reads a form's fields into `ctx.request.body`: at most 64 KiB, not packed.
 *
 * @throws UserError 413, 415, 400
 */
export const readFormBody: Middleware = async (ctx, next) => {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new UserError('Send the form as application/x-www-form-urlencoded', 415)
  }
  const bytes = await readPlainBytes(ctx, {
    tooLarge: 'The form is too large. It can have at most 64 KiB',
    unreadable: 'The form could not be read',
  })
  ctx.request.body = parseFormFields(bytes, readBodyText)
  await next()
}
