import bodyParser from 'koa-bodyparser'
import type { Middleware } from 'koa'
import { UserError } from '../../errors.js'

const readFields = bodyParser({ enableTypes: ['form'], formLimit: '64kb' })

/**
 * Reads a form's fields into `ctx.request.body`: at most 64 KiB, not compressed (koa-bodyparser's inflating stream
 * has no listener left once the limit is passed, and its next error ends the process).
 *
 * @throws UserError 413, 415, 400
 */
export const readFormBody: Middleware = async (ctx, next) => {
  const encoding = ctx.get('Content-Encoding')
  if ((encoding !== '' && encoding !== 'identity') || !ctx.is('application/x-www-form-urlencoded')) {
    throw new UserError('send the form as application/x-www-form-urlencoded, not compressed', 415)
  }
  try {
    await readFields(ctx, () => Promise.resolve())
  } catch (error) {
    if ((error as { status?: number }).status === 413) {
      throw new UserError('the form is too large: 64 KiB at most', 413)
    }
    throw new UserError('the form could not be read')
  }
  await next()
}
