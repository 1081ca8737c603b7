import { METHODS } from 'node:http'
import Router, { type RouterMiddleware } from '@koa/router'
import Koa from 'koa'
import helmet from 'koa-helmet'
import type { Context } from '../domain/context.js'
import { healthz, readyz } from './api/health.js'
import { acceptWebhookMessage, BODY_REFUSALS } from './api/incoming-webhooks.js'
import { getOutbox, postInbound } from './api/simulator.js'
import { bullBoard } from './bull-board.js'
import { answerErrors, logBrokenAnswers } from './middleware/errors.js'
import { readJsonBody } from './middleware/json-body.js'
import { logRequest } from './middleware/request-log.js'
import { requireOpenWebhook } from './middleware/require-open-webhook.js'
import { requireOperator } from './middleware/require-operator.js'
import { requireSameSite } from './middleware/require-same-site.js'
import { tidyPath } from './middleware/tidy-path.js'

/** No page of ours needs anything from elsewhere; the dashboard would fetch its fonts from another host. */
const CONTENT_SECURITY = {
  upgradeInsecureRequests: null,
  styleSrc: ["'self'", "'unsafe-inline'"],
  fontSrc: ["'self'", 'data:'],
}

/** Middleware in order, then every route with its checks and its handler: the map of the service. */
export function createApp(context: Context): Koa {
  const { config, vocabulary, log } = context
  const app = new Koa({ proxy: config.trustedProxyHops > 0, maxIpsCount: config.trustedProxyHops })
  // Every method that Node reads: one that a path does not take is 405, never 501.
  const router = new Router({ methods: METHODS })
  const get = (path: string, ...handlers: RouterMiddleware[]) => router.get(path, ...handlers)
  const post = (paths: string | string[], ...handlers: RouterMiddleware[]) => router.post(paths, ...handlers)

  app.on('error', logBrokenAnswers(log))
  app.use(tidyPath)
  app.use(logRequest(log))
  app.use(answerErrors(context))
  app.use(helmet({ contentSecurityPolicy: { directives: CONTENT_SECURITY } }))

  // prettier-ignore
  {
    post(vocabulary.incomingWebhookPaths, requireOpenWebhook(context), readJsonBody(BODY_REFUSALS), acceptWebhookMessage(context))
    get('/healthz',                       healthz)
    get('/readyz',                        readyz(context))
    if (config.simulator) {
      post('/simulator/inbound',          readJsonBody(), postInbound(context))
      get('/simulator/outbox',            getOutbox(context))
    }
    router.all('/queues{/*path}',         requireOperator(context), requireSameSite, bullBoard(context, '/queues'))
  }

  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
