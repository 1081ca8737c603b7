import type { Context as KoaContext, Middleware } from 'koa'
import type { QueueAnswer } from '../../database/messages/queueing.js'
import type { Logger } from '../../telemetry/log.js'
import { httpDuration, httpRequests } from '../../telemetry/metrics.js'
import { logPlain, word, type PlainText } from '../../telemetry/plain-line.js'
import type { SessionState } from '../console/people/session.js'
import { findUserOf } from './authenticate.js'

/** The facts that a request's handlers add to its line. */
export interface RequestLogState {
  outcome?: QueueAnswer['outcome']
  /** The path, if no part of it was made up by the sender. */
  plainPath?: PlainText
}

/**
 * Logs one line per request, with its user, if there is one, and counts it. The path is logged without its query,
 * which may have tokens.
 */
export function logRequest(log: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now()
    await next()
    const { outcome, plainPath } = ctx.state as RequestLogState
    const { status } = ctx
    const durationMs = Math.round(performance.now() - startedAt)
    countRequest(ctx, durationMs)
    if (plainPath !== undefined && ctx.method === 'POST') {
      const line = { method: word('POST'), path: plainPath, status, outcome: outcome && word(outcome) }
      logPlain(log, { ...line, durationMs }, 'request.handled')
    } else {
      const path = withoutSecrets(ctx.path).slice(0, 200)
      const level = isOfConsole(ctx.path) && status < 500 ? 'debug' : 'info'
      const userId = (ctx.state as SessionState).session?.userId ?? findUserOf(ctx)
      log[level]({ method: ctx.method, path, status, outcome, userId, durationMs }, 'request.handled')
    }
  }
}

/** The router sets the pattern of the route that it took. */
function countRequest(ctx: KoaContext & { _matchedRoute?: unknown }, durationMs: number): void {
  const { method, status } = ctx
  const route = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : 'none'
  httpRequests.inc({ method, route, status })
  httpDuration.observe({ method, route }, durationMs / 1000)
}

/** True for pages and their files, which a browser requests all the time; such a request is not a unit of work. */
function isOfConsole(path: string): boolean {
  return /^\/(console|assets|queues)(\/|$)/.test(path)
}

/**
 * Removes secrets from a path: media are found by a token; a phone, a contact and a conversation by a number; and an
 * authorization under way by the value of its cookie. If a client has encoded the question mark too, the path
 * contains an incoming webhook's token.
 */
function withoutSecrets(path: string): string {
  return path
    .replace(/(%3f|token(=|%3d)|(?<=\/(media|uploads|oauth\/(authorize|consent))\/)).*/i, '[cut]')
    .replace(/(?<=\/(simulator\/phones|v1\/contacts|lines\/[^/]+\/conversations)\/)[^/]*/, '[number]')
}
