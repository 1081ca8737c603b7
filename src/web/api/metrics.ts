import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { createStoreReadings } from '../../domain/operating/store-readings.js'
import { UserError } from '../../errors.js'
import { CHALLENGE, mayScrape, UNAUTHORIZED } from '../../telemetry/metrics-server.js'
import { scrape } from '../../telemetry/metrics.js'

/**
 * Answers Prometheus, with METRICS_TOKEN.
 *
 * @throws UserError 401
 */
export function getMetrics(context: Context, token: string): Middleware {
  const readStores = createStoreReadings(context)
  return async (ctx) => {
    if (!mayScrape(ctx.get('Authorization'), token)) {
      ctx.set('WWW-Authenticate', CHALLENGE)
      throw new UserError(UNAUTHORIZED, 401)
    }
    await readStores()
    const { type, text } = await scrape()
    ctx.type = type
    ctx.body = text
  }
}
