import Koa from 'koa'
import type { Context } from '../domain/context.js'
import { healthz, readyz } from './api/health.js'
import { getMetrics } from './api/metrics.js'
import { getOutbox, postInbound } from './api/simulator.js'
import { getAsset } from './assets.js'
import { getMedia } from './media.js'
import { readClientAddress } from './middleware/client-address.js'
import { allowNothing, allowDashboard } from './middleware/content-security.js'
import { answerErrors, logBrokenAnswers } from './middleware/errors.js'
import { failReadsFast } from './middleware/fail-reads-fast.js'
import { setFixedHeaders } from './middleware/fixed-headers.js'
import { readJsonBody } from './middleware/json-body.js'
import { allowOtherOrigins } from './middleware/other-origins.js'
import { logRequest } from './middleware/request-log.js'
import { requireAllHeaders } from './middleware/require-all-headers.js'
import { requireLocalOrToken } from './middleware/require-local-or-token.js'
import { requireOperator } from './middleware/require-operator.js'
import { requireSameSite } from './middleware/require-same-site.js'
import { normalizePath } from './middleware/normalize-path.js'
import { getOpenApi } from './openapi/document.js'
import { getPublicKeys } from './public-keys.js'
import { DASHBOARD_METHODS, queueDashboard, recordQueueChanges } from './queue-dashboard.js'
import { showGroup, showObjects, showReference } from './reference/pages.js'
import { showTry } from './reference/try.js'
import { applicationPages } from './routes/applications.js'
import { carrierPages } from './routes/carriers.js'
import { endpointPages } from './routes/endpoints.js'
import { linePages } from './routes/lines.js'
import { messagePages } from './routes/messages.js'
import { oauthRoutes } from './routes/oauth.js'
import { operatingPages } from './routes/operating.js'
import { peoplePages } from './routes/people.js'
import { programRoutes } from './routes/v1.js'
import { createRoutes } from './routes/kinds.js'
import { toConsole } from './routes/to-console.js'
import { getEventSchema } from './schemas.js'
import * as phones from './simulator/simulator.js'
import { getUpload } from './uploads.js'

/**
 * This is the map of the service: the middleware in order, then every route with its checks and its handler. The checks before
 * each page, form and operation (who has access, how the body is read) are in `routes/kinds.ts`, next to the sections of the
 * map. The operations of /v1 declare their own paths and are listed in `api/operations.ts`.
 */
export function createApp(context: Context): Koa {
  const { config, log } = context
  const app = new Koa({ proxy: config.trustedProxyHops > 0, maxIpsCount: config.trustedProxyHops })
  const routes = createRoutes(context)
  const { router, firstRouter, get, post, openPage, page, fileForm } = routes

  app.on('error', logBrokenAnswers(log))
  app.use(normalizePath)
  app.use(readClientAddress)
  app.use(logRequest(log))
  app.use(setFixedHeaders({ contentSecurityPolicy: false, frameguard: { action: 'deny' } }))
  app.use(allowNothing)
  app.use(allowOtherOrigins)
  app.use(answerErrors(context))
  app.use(requireAllHeaders)

  programRoutes(context, routes)
  linePages(routes)
  messagePages(routes)
  endpointPages(routes)
  applicationPages(routes)
  peoplePages(context, routes)
  carrierPages(routes)
  operatingPages(routes)
  oauthRoutes(context, routes)

  // oxfmt-ignore
  {
    get('/',                                toConsole)
    get('/assets/:hash/:name',              getAsset)
    get('/.well-known/webhook-keys/:endpointId',   getPublicKeys(context))
    get('/openapi.json',                  getOpenApi(context))
    get('/schemas/:type.json',            getEventSchema(context))
    openPage('/docs',                     showReference)
    openPage('/docs/objects',             showObjects)
    openPage('/docs/try/:operationId',    showTry)
    openPage('/docs/:group',              showGroup)
    get('/media/:token',                  getMedia(context))
    get('/uploads/:token',                getUpload(context))
    get('/healthz',                       healthz)
    get('/readyz',                        readyz(context))
    if (config.metricsToken !== undefined) {
      get('/metrics',                     getMetrics(context, config.metricsToken))
    }
    if (config.simulator) {
      post('/simulator/inbound',          requireSameSite(context), requireLocalOrToken(context, 'changes account'), readJsonBody(), postInbound(context))
      get('/simulator/outbox',            requireLocalOrToken(context, 'reads account'), getOutbox(context))
      page('/simulator',                  phones.showSimulator)
      page('/simulator/live',             phones.liveConversations)
      fileForm('/simulator/phones/:phone/messages',      phones.postPhoneMessage, phones.showSimulator)
      fileForm('/simulator/phones/:phone/voicemails',    phones.postVoicemail, phones.showSimulator)
    }
    router.register('/queues{/*path}',    DASHBOARD_METHODS, [allowDashboard, requireOperator(context), requireSameSite(context), recordQueueChanges(context), queueDashboard(context, '/queues')])
  }

  app.use(firstRouter.routes())
  // It does not come earlier, because some carriers deliver a text by GET and do not repeat it.
  app.use(failReadsFast(context))
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
