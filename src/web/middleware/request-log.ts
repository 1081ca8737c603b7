import type { Middleware } from 'koa'
import type { Logger } from '../../telemetry/log.js'

/** One line per request. The path without its query, in which tokens are. */
export function logRequest(log: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now()
    await next()
    log.info(
      {
        method: ctx.method,
        path: withoutSecrets(ctx.path).slice(0, 200),
        status: ctx.status,
        outcome: (ctx.state as { outcome?: string }).outcome,
        durationMs: Math.round(performance.now() - startedAt),
      },
      'request.handled',
    )
  }
}

/**
 * Media are found by a token, a phone by its number, and an authorization under way by the value of its cookie; where somebody has encoded the question mark too, the path
 * has an incoming webhook's token in it.
 */
function withoutSecrets(path: string): string {
  return path
    .replace(/(%3f|token(=|%3d)|(?<=\/((simulator\/)?media|oauth\/(authorize|consent))\/)).*/i, '[cut]')
    .replace(/(?<=\/simulator\/phones\/)[^/]*/, '[number]')
}
