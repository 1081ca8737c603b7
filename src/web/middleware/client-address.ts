import type { Middleware } from 'koa'
import { withoutPort } from '../../network.js'

/** Every limit by address, and every list of a carrier's networks, is about the address alone, without a port. */
export const readClientAddress: Middleware = (ctx, next) => {
  if (ctx.app.proxy) ctx.request.ip = withoutPort(ctx.ip)
  return next()
}
