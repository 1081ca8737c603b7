import { METHODS } from 'node:http'
import Router, { type RouterMiddleware } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import helmet from 'koa-helmet'
import type { Context } from '../domain/context.js'
import { deleteLineConnection, getLineConnection, putLineConnection } from './api/connections.js'
import { getDeliveries, getOneDelivery, postDeliveryAgain } from './api/deliveries.js'
import { healthz, readyz } from './api/health.js'
import {
  deleteIncomingWebhook,
  getIncomingWebhook,
  postIncomingWebhook,
  postTokenRegeneration,
} from './api/incoming-webhook-settings.js'
import { acceptWebhookMessage, BODY_REFUSALS } from './api/incoming-webhooks.js'
import { getLimits, getLine, getLines, putLine } from './api/lines.js'
import { getMessages, getOneMessage, postMessageAgain } from './api/messages.js'
import {
  getSigningSecret,
  postHeldEvents,
  postSecretRotation,
  postTestEvent,
} from './api/outgoing-webhooks.js'
import type { Operation } from './api/own.js'
import { getOutbox, postInbound } from './api/simulator.js'
import { getAsset } from './assets.js'
import { bullBoard } from './bull-board.js'
import { liveActivity, showActivity } from './console/activity.js'
import { showLine } from './console/line.js'
import { postDisable, postDisconnect, postEnable } from './console/line/connection.js'
import { postName } from './console/line/head.js'
import { postHeldEvents as postHeldEventsForm } from './console/line/held-events.js'
import {
  postDeleteIncomingWebhook,
  postIncomingWebhook as postIncomingWebhookForm,
  postRegenerate,
} from './console/line/incoming-webhook.js'
import { liveLimits } from './console/line/limits.js'
import { postOutgoingUrl } from './console/line/outgoing-webhook.js'
import { postTestEvent as postTestEventForm } from './console/line/post-test-event.js'
import { postRotate } from './console/line/signing-secret.js'
import { showLines } from './console/lines.js'
import { liveMessage, postSendDeliveryAgain, postSendMessageAgain, showMessage } from './console/message.js'
import { requireOperatorSession, requireOwnForm, requireSession, readSession } from './console/session.js'
import { submit, type Act } from './console/page.js'
import { postSetUp, showSetUp } from './console/set-up.js'
import {
  postApiToken,
  postEndOtherSessions,
  postEndSession,
  postPassword,
  postRevokeApiToken,
  showSettings,
} from './console/settings.js'
import { postConfirm, postSignIn, postSignOut, showConfirm, showSignIn } from './console/sign-in.js'
import { postSetUpLink, postUserLine, postUserLineStatus, showUser } from './console/user.js'
import { postUser, showUsers } from './console/users.js'
import { showDocs } from './docs.js'
import { authenticate } from './middleware/authenticate.js'
import { allowNothing, allowOwnPage, allowPackagedPage } from './middleware/content-security.js'
import { answerErrors, logBrokenAnswers } from './middleware/errors.js'
import { readFormBody } from './middleware/form-body.js'
import { readJsonBody } from './middleware/json-body.js'
import { logRequest } from './middleware/request-log.js'
import { requireOpenWebhook } from './middleware/require-open-webhook.js'
import { requireOperator } from './middleware/require-operator.js'
import { requireSameSite } from './middleware/require-same-site.js'
import { tidyPath } from './middleware/tidy-path.js'
import { getOpenApi } from './openapi/document.js'
import { getSimulatorMedia } from './simulator/media.js'
import { readPhoneForm } from './simulator/phone-form.js'
import { liveConversations, postPhoneMessage, postVoicemail, showSimulator } from './simulator/simulator.js'

/** For people; a program that asks for nothing in particular is told that there is nothing. */
const toConsole: Middleware = (ctx) => {
  if (ctx.get('Accept').includes('text/html')) ctx.redirect('/console')
  return Promise.resolve()
}

/** Middleware in order, then every route with its checks and its handler: the map of the service. */
export function createApp(context: Context): Koa {
  const { config, vocabulary, log } = context
  const app = new Koa({ proxy: config.trustedProxyHops > 0, maxIpsCount: config.trustedProxyHops })
  // Every method that Node reads: one that a path does not take is 405, never 501.
  const router = new Router({ methods: METHODS })
  const get = (path: string, ...handlers: RouterMiddleware[]) => router.get(path, ...handlers)
  const post = (paths: string | string[], ...handlers: RouterMiddleware[]) => router.post(paths, ...handlers)
  /** By an API token, in every accepted word. */
  const v1 = (method: 'get' | 'put' | 'post' | 'delete', path: string, operation: Operation) => {
    const body = method === 'put' || method === 'post' ? [readJsonBody(undefined, { isOptional: true })] : []
    return router[method](vocabulary.paths(path), authenticate(context), ...body, operation(context))
  }

  /** A page for everybody; and one for who is signed in. */
  const open = (path: string, show: Middleware) => get(path, allowOwnPage, readSession(context), show)
  const page = (path: string, show: Middleware, ...checks: Middleware[]) =>
    get(path, allowOwnPage, readSession(context), requireSession, ...checks, show)
  /** Forms of those pages. What is refused is shown again by `show`. */
  const openForm = (path: string, act: Act, show: Middleware) =>
    post(path, allowOwnPage, readSession(context), readFormBody, requireOwnForm(context), submit(act, show))
  const form = (path: string, act: Act, show: Middleware, ...checks: Middleware[]) =>
    post(
      path,
      allowOwnPage,
      readSession(context),
      requireSession,
      ...checks,
      readFormBody,
      requireOwnForm(context),
      submit(act, show),
    )

  /** As `form`, with files. */
  const phoneForm = (path: string, act: Act, show: Middleware) =>
    post(
      path,
      allowOwnPage,
      readSession(context),
      requireSession,
      readPhoneForm,
      requireOwnForm(context),
      submit(act, show),
    )

  app.on('error', logBrokenAnswers(log))
  app.use(tidyPath)
  app.use(logRequest(log))
  app.use(helmet({ contentSecurityPolicy: false, frameguard: { action: 'deny' } }))
  app.use(allowNothing)
  app.use(answerErrors(context))

  // prettier-ignore
  {
    post(vocabulary.incomingWebhookPaths, requireOpenWebhook(context), readJsonBody(BODY_REFUSALS), acceptWebhookMessage(context))
    v1('get',    '/v1/lines',                                     getLines)
    v1('get',    '/v1/lines/:lineId',                             getLine)
    v1('put',    '/v1/lines/:lineId',                             putLine)
    v1('get',    '/v1/lines/:lineId/limits',                      getLimits)
    v1('get',    '/v1/lines/:lineId/connection',                  getLineConnection)
    v1('put',    '/v1/lines/:lineId/connection',                  putLineConnection)
    v1('delete', '/v1/lines/:lineId/connection',                  deleteLineConnection)
    v1('post',   '/v1/lines/:lineId/connection/test-event',       postTestEvent)
    v1('get',    '/v1/lines/:lineId/connection/signing-secret',   getSigningSecret)
    v1('post',   '/v1/lines/:lineId/connection/rotate-secret',    postSecretRotation)
    v1('post',   '/v1/lines/:lineId/connection/send-held-events', postHeldEvents)
    v1('get',    '/v1/lines/:lineId/incoming-webhook',            getIncomingWebhook)
    v1('post',   '/v1/lines/:lineId/incoming-webhook',            postIncomingWebhook)
    v1('delete', '/v1/lines/:lineId/incoming-webhook',            deleteIncomingWebhook)
    v1('post',   '/v1/lines/:lineId/incoming-webhook/regenerate', postTokenRegeneration)
    v1('get',    '/v1/messages',                                  getMessages)
    v1('get',    '/v1/messages/:messageId',                       getOneMessage)
    v1('post',   '/v1/messages/:messageId/send-again',            postMessageAgain)
    v1('get',    '/v1/deliveries',                                getDeliveries)
    v1('get',    '/v1/deliveries/:deliveryId',                    getOneDelivery)
    v1('post',   '/v1/deliveries/:deliveryId/send-again',         postDeliveryAgain)

    get('/',                              toConsole)
    get('/assets/:hash/:name',            getAsset)
    open('/console/set-up',               showSetUp(context))
    openForm('/console/set-up',           postSetUp(context), showSetUp(context))
    open('/console/sign-in',              showSignIn(context))
    openForm('/console/sign-in',          postSignIn(context), showSignIn(context))
    form('/console/sign-out',             postSignOut(context), showSettings(context))
    page('/console/confirm',              showConfirm(context))
    form('/console/confirm',              postConfirm(context), showConfirm(context))
    page('/console',                      showLines(context))
    page('/console/lines',                (ctx) => { ctx.redirect('/console') })
    page('/console/lines/:lineId',                        showLine(context))
    page('/console/lines/:lineId/limits/live',            liveLimits(context))
    form('/console/lines/:lineId/name',                   postName(context), showLine(context))
    form('/console/lines/:lineId/connection/enable',      postEnable(context), showLine(context))
    form('/console/lines/:lineId/connection/disable',     postDisable(context), showLine(context))
    form('/console/lines/:lineId/connection/disconnect',  postDisconnect(context), showLine(context))
    form('/console/lines/:lineId/incoming-webhook',             postIncomingWebhookForm(context), showLine(context))
    form('/console/lines/:lineId/incoming-webhook/regenerate',  postRegenerate(context), showLine(context))
    form('/console/lines/:lineId/incoming-webhook/delete',      postDeleteIncomingWebhook(context), showLine(context))
    form('/console/lines/:lineId/outgoing-webhook',                   postOutgoingUrl(context), showLine(context))
    form('/console/lines/:lineId/outgoing-webhook/test-event',        postTestEventForm(context), showLine(context))
    form('/console/lines/:lineId/outgoing-webhook/send-held-events',  postHeldEventsForm(context), showLine(context))
    form('/console/lines/:lineId/signing-secret/rotate',              postRotate(context), showLine(context))
    page('/console/activity',                             showActivity(context))
    page('/console/activity/live',                        liveActivity(context))
    page('/console/messages/:messageId',                  showMessage(context))
    page('/console/messages/:messageId/live',             liveMessage(context))
    form('/console/messages/:messageId/send-again',       postSendMessageAgain(context), showMessage(context))
    form('/console/messages/:messageId/deliveries/:deliveryId/send-again',  postSendDeliveryAgain(context), showMessage(context))
    page('/console/settings',             showSettings(context))
    form('/console/settings/password',    postPassword(context), showSettings(context))
    form('/console/settings/api-tokens',  postApiToken(context), showSettings(context))
    form('/console/settings/api-tokens/:tokenId/revoke',  postRevokeApiToken(context), showSettings(context))
    form('/console/settings/sessions/end-others',         postEndOtherSessions(context), showSettings(context))
    form('/console/settings/sessions/:sessionId/end',     postEndSession(context), showSettings(context))
    page('/console/users',                                showUsers(context), requireOperatorSession)
    form('/console/users',                                postUser(context), showUsers(context), requireOperatorSession)
    page('/console/users/:userId',                        showUser(context), requireOperatorSession)
    form('/console/users/:userId/set-up-link',            postSetUpLink(context), showUser(context), requireOperatorSession)
    form('/console/users/:userId/lines',                  postUserLine(context), showUser(context), requireOperatorSession)
    form('/console/users/:userId/lines/:lineId/disable',  postUserLineStatus(context, 'disabled'), showUser(context), requireOperatorSession)
    form('/console/users/:userId/lines/:lineId/enable',   postUserLineStatus(context, 'active'), showUser(context), requireOperatorSession)

    get('/openapi.json',                  getOpenApi(context))
    get('/docs',                          allowPackagedPage, showDocs)

    get('/healthz',                       healthz)
    get('/readyz',                        readyz(context))
    if (config.simulator) {
      post('/simulator/inbound',          readJsonBody(), postInbound(context))
      get('/simulator/outbox',            getOutbox(context))
      get('/simulator/media/:token',      getSimulatorMedia(context))
      page('/simulator',                  showSimulator(context))
      page('/simulator/live',             liveConversations(context))
      phoneForm('/simulator/phones/:phone/messages',      postPhoneMessage(context), showSimulator(context))
      phoneForm('/simulator/phones/:phone/voicemails',    postVoicemail(context), showSimulator(context))
    }
    router.all('/queues{/*path}',         allowPackagedPage, requireOperator(context), requireSameSite, bullBoard(context, '/queues'))
  }

  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}
