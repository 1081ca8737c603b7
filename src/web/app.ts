import Koa, { type Middleware } from 'koa'
import { SCOPES } from '../domain/applications/application-access.js'
import type { Context } from '../domain/context.js'
import * as api from './api/operations.js'
import { getAsset } from './assets.js'
import { bullBoard, recordQueueChanges } from './bull-board.js'
import { fresh } from './console/people/confirm-first.js'
import * as pages from './console/pages.js'
import { showDocs } from './docs.js'
import { getMedia } from './media.js'
import { allowNothing, allowPackagedPage } from './middleware/content-security.js'
import { answerErrors, logBrokenAnswers } from './middleware/errors.js'
import { setFixedHeaders } from './middleware/fixed-headers.js'
import { readFieldsBody, readJsonBody } from './middleware/json-body.js'
import { allowOtherOrigins } from './middleware/other-origins.js'
import { logRequest } from './middleware/request-log.js'
import { requireAllHeaders } from './middleware/require-all-headers.js'
import { requireHereOrToken } from './middleware/require-here-or-token.js'
import { requireOperator } from './middleware/require-operator.js'
import { requireSameSite } from './middleware/require-same-site.js'
import { tidyPath } from './middleware/tidy-path.js'
import * as oauth from './oauth/endpoints.js'
import { getOpenApi } from './openapi/document.js'
import { getPublicKeys } from './public-keys.js'
import { createRoutes } from './routes.js'
import { getEventSchema } from './schemas.js'
import * as phones from './simulator/phones.js'

/** An application's token must have one of these. */
const MESSAGE_SCOPES = ['messages:connect', 'messages:write'] as const

/**
 * Middleware in order, then every route with its checks and its handler: the map of the service. What stands before
 * each page, form and operation (who may come in, how the body is read) is in `routes.ts`.
 */
export function createApp(context: Context): Koa {
  const { config, vocabulary, log } = context
  const app = new Koa({ proxy: config.trustedProxyHops > 0, maxIpsCount: config.trustedProxyHops })
  const {
    router,
    firstRouter,
    postFirst,
    get,
    post,
    v1,
    openPage,
    openForm,
    newcomerPage,
    newcomerForm,
    page,
    form,
    operatorPage,
    operatorForm,
    fileForm,
    oauthPost,
  } = createRoutes(context)

  app.on('error', logBrokenAnswers(log))
  app.use(tidyPath)
  app.use(logRequest(log))
  app.use(setFixedHeaders({ contentSecurityPolicy: false, frameguard: { action: 'deny' } }))
  app.use(allowNothing)
  app.use(allowOtherOrigins)
  app.use(answerErrors(context))
  app.use(requireAllHeaders)

  // prettier-ignore
  {
    postFirst(vocabulary.incomingWebhookPaths, api.countRefusals, api.requireOpenIncomingWebhook(context), readJsonBody(api.BODY_REFUSALS), api.acceptWebhookMessage(context))
    postFirst(['/carriers/:kind/:accountId/:name'], api.readCallbackBody(), api.answerCarrierCallback(context))
    v1('get',    '/v1/lines',                                     'reads lines',     api.getLines, SCOPES)
    v1('get',    '/v1/lines/:lineId',                             'reads lines',     api.getLine, SCOPES)
    v1('put',    '/v1/lines/:lineId',                             'changes lines',   api.putLine, ['lines:write'])
    v1('post',   '/v1/lines/:lineId/pause-sending',               'changes lines',   api.postLinePause)
    v1('post',   '/v1/lines/:lineId/resume-sending',              'changes lines',   api.postLineResumption)
    v1('post',   '/v1/lines/:lineId/try-messages-now',            'changes lines',   api.postLineMessagesTry)
    v1('get',    '/v1/lines/:lineId/limits',                      'reads lines',     api.getLimits)
    v1('get',    '/v1/lines/:lineId/opt-outs',                    'reads lines',     api.getOptOuts)
    v1('get',    '/v1/lines/:lineId/events/stream',               'reads lines',     api.getEventStream)
    v1('post',   '/v1/lines/:lineId/events/attempts',             'changes lines',   api.postListenerAttempts)
    v1('get',    '/v1/lines/:lineId/connection',                  'reads lines',     api.getLineConnection)
    v1('put',    '/v1/lines/:lineId/connection',                  'changes lines',   api.putLineConnection)
    v1('delete', '/v1/lines/:lineId/connection',                  'changes lines',   api.deleteLineConnection)
    v1('post',   '/v1/lines/:lineId/connection/test-event',       'changes lines',   api.postLineTestEvent)
    v1('get',    '/v1/lines/:lineId/connection/signing-secret',   'reveals lines',   api.getLineSigningSecret)
    v1('post',   '/v1/lines/:lineId/connection/rotate-secret',    'changes lines',   api.postLineSigningSecretRotation)
    v1('post',   '/v1/lines/:lineId/connection/send-held-events', 'changes lines',   api.postLineHeldEvents)
    v1('post',   '/v1/lines/:lineId/connection/try-events-now',   'changes lines',   api.postLineEventsNow)
    v1('post',   '/v1/lines/:lineId/connection/replay',           'changes lines',   api.postLineReplay, ['messages:connect'])
    v1('post',   '/v1/lines/:lineId/connection/replay/preview',   'changes lines',   api.postLineReplayPreview, ['messages:connect'])
    v1('post',   '/v1/lines/:lineId/connection/pause-events',     'changes lines',   api.postLineEventsPause)
    v1('post',   '/v1/lines/:lineId/connection/resume-events',    'changes lines',   api.postLineEventsResumption)
    v1('get',    '/v1/lines/:lineId/connection/policy',           'reads lines',     api.getLinePolicy)
    v1('patch',  '/v1/lines/:lineId/connection/policy',           'changes lines',   api.patchLinePolicy)
    v1('post',   '/v1/lines/:lineId/connection/policy/preview',   'changes lines',   api.postLinePolicyPreview)
    v1('get',    '/v1/lines/:lineId/endpoints',                                'reads lines',     api.getLineEndpoints)
    v1('post',   '/v1/lines/:lineId/endpoints',                                'changes lines',   api.postLineEndpoint)
    v1('get',    '/v1/lines/:lineId/endpoints/:endpointId',                    'reads lines',     api.getOneLineEndpoint)
    v1('patch',  '/v1/lines/:lineId/endpoints/:endpointId',                    'changes lines',   api.patchLineEndpoint)
    v1('delete', '/v1/lines/:lineId/endpoints/:endpointId',                    'changes lines',   api.deleteOneLineEndpoint)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/enable',             'changes lines',   api.postLineEndpointEnabling)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/test-event',         'changes lines',   api.postLineTestEvent)
    v1('get',    '/v1/lines/:lineId/endpoints/:endpointId/signing-secret',     'reveals lines',   api.getLineSigningSecret)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/rotate-secret',      'changes lines',   api.postLineSigningSecretRotation)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/send-held-events',   'changes lines',   api.postLineHeldEvents)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/try-events-now',     'changes lines',   api.postLineEventsNow)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/pause-events',       'changes lines',   api.postLineEventsPause)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/resume-events',      'changes lines',   api.postLineEventsResumption)
    v1('get',    '/v1/lines/:lineId/endpoints/:endpointId/policy',             'reads lines',     api.getLinePolicy)
    v1('patch',  '/v1/lines/:lineId/endpoints/:endpointId/policy',             'changes lines',   api.patchLinePolicy)
    v1('post',   '/v1/lines/:lineId/endpoints/:endpointId/policy/preview',     'changes lines',   api.postLinePolicyPreview)
    v1('get',    '/v1/lines/:lineId/endpoints/:endpointId/deliveries',         'reads lines',     api.getLineEndpointDeliveries)
    v1('get',    '/v1/lines/:lineId/incoming-webhook',            'reveals lines',   api.getIncomingWebhook)
    v1('post',   '/v1/lines/:lineId/incoming-webhook',            'changes lines',   api.postIncomingWebhook)
    v1('delete', '/v1/lines/:lineId/incoming-webhook',            'changes lines',   api.deleteIncomingWebhook)
    v1('post',   '/v1/lines/:lineId/incoming-webhook/regenerate', 'changes lines',   api.postTokenRegeneration)
    v1('get',    '/v1/messages',                                  'reads lines',     api.getMessages, MESSAGE_SCOPES)
    v1('post',   '/v1/messages',                                  'changes lines',   api.postMessage, MESSAGE_SCOPES, readFieldsBody())
    v1('post',   '/v1/messages/batch',                            'changes lines',   api.postMessageBatch, MESSAGE_SCOPES, readJsonBody(api.BATCH_REFUSALS, { bound: api.BATCH_BOUND }))
    v1('get',    '/v1/messages/:messageId',                       'reads lines',     api.getOneMessage, MESSAGE_SCOPES)
    v1('patch',  '/v1/messages/:messageId',                       'changes lines',   api.patchMessage, MESSAGE_SCOPES)
    v1('post',   '/v1/messages/:messageId/cancel',                'changes lines',   api.postMessageCancellation, MESSAGE_SCOPES)
    v1('post',   '/v1/messages/:messageId/send-again',            'changes lines',   api.postMessageAgain)
    v1('post',   '/v1/messages/:messageId/try-now',               'changes lines',   api.postMessageNow)
    v1('get',    '/v1/contacts',                                  'reads account',   api.getContacts, ['contacts:read'])
    v1('post',   '/v1/contacts',                                  'changes account', api.postContact, ['contacts:write'], readFieldsBody())
    v1('put',    '/v1/contacts/:contactId',                        'changes account', api.putContact, ['contacts:write'], readFieldsBody())
    v1('post',   '/v1/segments',                                  'reads lines',     api.postSegments, MESSAGE_SCOPES)
    v1('get',    '/v1/deliveries',                                'reads lines',     api.getDeliveries)
    v1('get',    '/v1/deliveries/:deliveryId',                    'reads lines',     api.getOneDelivery)
    v1('post',   '/v1/deliveries/:deliveryId/send-again',         'changes lines',   api.postDeliveryAgain)
    v1('post',   '/v1/deliveries/:deliveryId/try-now',            'changes lines',   api.postDeliveryNow)
    v1('get',    '/v1/works',                                     'reads lines',     api.getWorks, ['messages:connect'])
    v1('get',    '/v1/works/:workId',                             'reads lines',     api.getOneWork, ['messages:connect'])
    v1('post',   '/v1/works/:workId/stop',                        'changes lines',   api.postWorkStop, ['messages:connect'])
    v1('get',    '/v1/applications',                                             'reads account',   api.getApplications)
    v1('post',   '/v1/applications',                                             'changes account', api.postApplication)
    v1('get',    '/v1/applications/:applicationId',                              'reads account',   api.getOneApplication)
    v1('put',    '/v1/applications/:applicationId',                              'changes account', api.putApplication)
    v1('delete', '/v1/applications/:applicationId',                              'changes account', api.deleteOneApplication)
    v1('post',   '/v1/applications/:applicationId/rotate-secret',                'changes account', api.postClientSecretRotation)
    v1('get',    '/v1/applications/:applicationId/signing-secret',               'reveals account', api.getApplicationSigningSecret)
    v1('post',   '/v1/applications/:applicationId/rotate-signing-secret',        'changes account', api.postApplicationSigningSecretRotation)
    v1('post',   '/v1/applications/:applicationId/test-event',                   'changes account', api.postApplicationTestEvent)
    v1('post',   '/v1/applications/:applicationId/send-held-events',             'changes account', api.postApplicationHeldEvents)
    v1('post',   '/v1/applications/:applicationId/try-events-now',               'changes account', api.postApplicationEventsNow)
    v1('post',   '/v1/applications/:applicationId/replay',                       'changes account', api.postApplicationReplay)
    v1('post',   '/v1/applications/:applicationId/replay/preview',               'changes account', api.postApplicationReplayPreview)
    v1('post',   '/v1/applications/:applicationId/pause-events',                 'changes account', api.postApplicationEventsPause)
    v1('post',   '/v1/applications/:applicationId/resume-events',                'changes account', api.postApplicationEventsResumption)
    v1('get',    '/v1/applications/:applicationId/policy',                       'reads account',   api.getApplicationPolicy)
    v1('patch',  '/v1/applications/:applicationId/policy',                       'changes account', api.patchApplicationPolicy)
    v1('post',   '/v1/applications/:applicationId/policy/preview',               'changes account', api.postApplicationPolicyPreview)
    v1('get',    '/v1/applications/:applicationId/deliveries',                   'reads account',   api.getApplicationDeliveries)
    v1('get',    '/v1/authorized-applications',                                        'reads account',   api.getAuthorizations)
    v1('delete', '/v1/authorized-applications/:applicationId',                         'changes account', api.deleteAuthorizations)
    v1('delete', '/v1/authorized-applications/:applicationId/lines/:lineId',           'changes account', api.deleteAuthorization)

    get('/',                                toConsole)
    get('/assets/:hash/:name',              getAsset)
    openPage(     '/console/set-up',                                                  pages.showSetUp)
    openForm(     '/console/set-up',                                                  pages.postSetUp, pages.showSetUp)
    openPage(     '/console/sign-in',                                                 pages.showSignIn)
    openForm(     '/console/sign-in',                                                 pages.postSignIn, pages.showSignIn)
    if (config.smtp !== undefined) {
      openPage(   '/console/forgot-password',                                         pages.showForgotPassword)
      openForm(   '/console/forgot-password',                                         pages.postForgotPassword, pages.showForgotPassword)
    }
    openPage(     '/console/sign-in/second-step',                                     pages.showSecondStep)
    openForm(     '/console/sign-in/second-step',                                     pages.postSecondStep, pages.showSecondStep)
    openForm(     '/console/sign-in/passkey',                                         pages.postPasskeySignIn, pages.showPasskeySignIn)
    openForm(     '/console/sign-in/passkey/options',                                 pages.postSignInOptions, pages.showPasskeySignIn)
    newcomerForm( '/console/sign-out',                                                pages.postSignOut, pages.showSettings)
    newcomerPage( '/console/confirm',                                                 pages.showConfirm)
    newcomerForm( '/console/confirm',                                                 pages.postConfirm, pages.showConfirm)
    newcomerForm( '/console/confirm/passkey',                                         pages.postConfirmByPasskey, pages.showConfirm)
    newcomerForm( '/console/confirm/passkey/options',                                 pages.postConfirmOptions, pages.showConfirm)

    page(         '/console',                                                         pages.showLines)
    page(         '/console/lines',                                                   () => toConsole)
    page(         '/console/lines/:lineId',                                           pages.showLine)
    page(         '/console/lines/:lineId/live',                                      pages.liveLine)
    page(         '/console/lines/:lineId/send',                                      pages.showLineSend)
    page(         '/console/lines/:lineId/receive',                                   pages.showLineReceive)
    page(         '/console/lines/:lineId/access',                                    pages.showLineAccess)
    page(         '/console/lines/:lineId/danger',                                    pages.showLineDanger)
    page(         '/console/lines/:lineId/export.zip',                                pages.exportOwnLine, fresh)
    page(         '/console/lines/:lineId/limits/live',                               pages.liveLimits)
    page(         '/console/lines/:lineId/start',                                     pages.showStart)
    page(         '/console/lines/:lineId/start/live',                                pages.liveStart)
    form(         '/console/lines/:lineId/start/incoming-webhook',                    pages.postStartIncomingWebhook, pages.showStart)
    form(         '/console/lines/:lineId/start/outgoing-webhook',                    pages.postStartUrl, pages.showStart, fresh)
    form(         '/console/lines/:lineId/start/test-event',                          pages.postTestEvent, pages.showStart)
    form(         '/console/tour/close',                                              pages.postCloseTour, pages.showLines)
    form(         '/console/lines/:lineId/name',                                      pages.postName, pages.showLine)
    form(         '/console/lines/:lineId/messages',                                  pages.postText, pages.showLineSend)
    form(         '/console/lines/:lineId/messages/segments',                         pages.postSegmentCount, pages.showLineSend)
    form(         '/console/lines/:lineId/sending/pause',                             pages.postPause, pages.showLineSend)
    form(         '/console/lines/:lineId/sending/resume',                            pages.postResume, pages.showLineSend)
    form(         '/console/lines/:lineId/sending/try-now',                           pages.postTryLineMessagesNow, pages.showLineSend)
    form(         '/console/lines/:lineId/connection/enable',                         pages.postEnable, pages.showLineAccess)
    form(         '/console/lines/:lineId/connection/disable',                        pages.postDisable, pages.showLineAccess)
    form(         '/console/lines/:lineId/connection/disconnect',                     pages.postDisconnect, pages.showLineDanger)
    form(         '/console/lines/:lineId/incoming-webhook',                          pages.postIncomingWebhook, pages.showLineSend)
    form(         '/console/lines/:lineId/incoming-webhook/regenerate',               pages.postRegenerate, pages.showLineSend)
    form(         '/console/lines/:lineId/incoming-webhook/delete',                   pages.postDeleteIncomingWebhook, pages.showLineDanger)
    form(         '/console/lines/:lineId/outgoing-webhook',                          pages.postLineEndpointUrl, pages.showLineReceive, fresh)
    form(         '/console/lines/:lineId/outgoing-webhook/events',                   pages.postOptInEvents, pages.showLineReceive)
    form(         '/console/lines/:lineId/outgoing-webhook/policy',                   pages.postLinePolicy, pages.showLineReceive)
    form(         '/console/lines/:lineId/outgoing-webhook/policy/preview',           pages.postLinePolicyPreview, pages.showLineReceive)
    form(         '/console/lines/:lineId/outgoing-webhook/test-event',               pages.postTestEvent, pages.showLineReceive)
    form(         '/console/lines/:lineId/outgoing-webhook/pause',                    pages.postPauseEvents, pages.showLineReceive)
    form(         '/console/lines/:lineId/outgoing-webhook/resume',                   pages.postResumeEvents, pages.showLineReceive)
    form(         '/console/lines/:lineId/outgoing-webhook/send-held-events',         pages.postHeldEvents, pages.showLineReceive)
    form(         '/console/lines/:lineId/replay',                                    pages.postLineReplay, pages.showLineReceive, pages.isReplayElsewhere)
    form(         '/console/lines/:lineId/outgoing-webhook/try-events-now',           pages.postTryLineEventsNow, pages.showLineReceive)
    form(         '/console/lines/:lineId/signing-secret/rotate',                     pages.postRotate, pages.showLineReceive, fresh)
    form(         '/console/lines/:lineId/endpoints',                                 pages.postLineEndpoint, pages.showLineReceive, fresh)
    page(         '/console/lines/:lineId/endpoints/:endpointId',                     pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/fields',              pages.postEndpointFields, pages.showFurtherEndpoint, fresh)
    form(         '/console/lines/:lineId/endpoints/:endpointId/policy',              pages.postLinePolicy, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/policy/preview',      pages.postLinePolicyPreview, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/test-event',          pages.postTestEvent, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/enable',              pages.postEnableFurtherEndpoint, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/pause',               pages.postPauseEvents, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/resume',              pages.postResumeEvents, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/send-held-events',    pages.postHeldEvents, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/try-events-now',      pages.postTryLineEventsNow, pages.showFurtherEndpoint)
    form(         '/console/lines/:lineId/endpoints/:endpointId/rotate-secret',       pages.postRotate, pages.showFurtherEndpoint, fresh)
    form(         '/console/lines/:lineId/endpoints/:endpointId/delete',              pages.postDeleteFurtherEndpoint, pages.showFurtherEndpoint)

    page(         '/console/lines/:lineId/conversations',                             pages.showConversations)
    page(         '/console/lines/:lineId/conversations/:number',                     pages.showConversation)
    page(         '/console/lines/:lineId/conversations/:number/live',                pages.liveConversation)
    form(         '/console/lines/:lineId/conversations/:number/messages',            pages.postAnswer, pages.showConversation)
    form(         '/console/lines/:lineId/conversations/:number/messages/segments',   pages.postAnswerSegments, pages.showConversation)
    form(         '/console/lines/:lineId/conversations/:number/name',                pages.postContactName, pages.showConversation)
    form(         '/console/lines/:lineId/conversations/:number/block',               pages.postBlock, pages.showConversation)
    form(         '/console/lines/:lineId/conversations/:number/unblock',             pages.postUnblock, pages.showConversation)

    page(         '/console/notices',                                                 pages.showNotices)
    form(         '/console/notices/read',                                            pages.postNoticesRead, pages.showNotices)
    page(         '/console/search',                                                  pages.showSearch)
    operatorForm( '/console/search/look',                                             pages.postSearchLook, pages.showSearch)
    page(         '/console/works',                                                   pages.showWorks)
    page(         '/console/works/live',                                              pages.liveWorks)
    form(         '/console/works/:workId/stop',                                      pages.postStopWork, pages.showWorks)
    page(         '/console/events',                                                  pages.showEvents)
    page(         '/console/activity',                                                pages.showActivity)
    page(         '/console/activity.csv',                                            pages.exportActivity)
    page(         '/console/activity/live',                                           pages.liveActivity)
    page(         '/console/messages/:messageId',                                     pages.showMessage)
    page(         '/console/messages/:messageId/live',                                pages.liveMessage)
    form(         '/console/messages/:messageId/send-again',                          pages.postSendMessageAgain, pages.showMessage)
    form(         '/console/messages/:messageId/try-now',                             pages.postTryMessageNow, pages.showMessage)
    form(         '/console/messages/:messageId/reschedule',                          pages.postReschedule, pages.showMessage)
    form(         '/console/messages/:messageId/cancel',                              pages.postCancel, pages.showMessage)
    form(         '/console/messages/:messageId/deliveries/:deliveryId/send-again',   pages.postSendDeliveryAgain, pages.showMessage)
    form(         '/console/messages/:messageId/deliveries/:deliveryId/try-now',      pages.postTryDeliveryNow, pages.showMessage)

    page(         '/console/applications',                                          pages.showApplications)
    form(         '/console/applications',                                          pages.postApplication, pages.showApplications, fresh)
    page(         '/console/applications/:applicationId',                           pages.showApplication)
    form(         '/console/applications/:applicationId/fields',                    pages.postFields, pages.showApplication, fresh)
    form(         '/console/applications/:applicationId/client-secret/rotate',      pages.postClientSecret, pages.showApplication, fresh)
    form(         '/console/applications/:applicationId/webhook/test-event',        pages.postApplicationTestEvent, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/policy',            pages.postApplicationPolicy, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/policy/preview',    pages.postApplicationPolicyPreview, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/enable',            pages.postEnableEndpoint, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/pause',             pages.postPauseApplicationEvents, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/resume',            pages.postResumeApplicationEvents, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/send-held-events',  pages.postHeldApplicationEvents, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/replay',            pages.postApplicationReplay, pages.showApplication, pages.isReplayElsewhere)
    form(         '/console/applications/:applicationId/webhook/try-events-now',    pages.postTryApplicationEventsNow, pages.showApplication)
    form(         '/console/applications/:applicationId/webhook/rotate-secret',     pages.postSigningSecret, pages.showApplication, fresh)
    form(         '/console/applications/:applicationId/delete',                    pages.postDeleteApplication, pages.showApplication)
    page(         '/console/authorized-applications',                               pages.showAuthorizations)
    form(         '/console/authorized-applications/:applicationId/disconnect',     pages.postEndAuthorizations, pages.showAuthorizations)
    form(         '/console/authorized-applications/:applicationId/lines/:lineId/disconnect', pages.postEndAuthorization, pages.showAuthorizations)

    page(         '/console/settings',                                                pages.showSettings)
    form(         '/console/settings/password',                                       pages.postPassword, pages.showSettings)
    form(         '/console/settings/api-tokens',                                     pages.postApiToken, pages.showSettings, fresh)
    form(         '/console/settings/api-tokens/:tokenId/revoke',                     pages.postRevokeApiToken, pages.showSettings)
    form(         '/console/settings/sessions/end-others',                            pages.postEndOtherSessions, pages.showSettings, fresh)
    form(         '/console/settings/sessions/:sessionId/end',                        pages.postEndSession, pages.showSettings, fresh)
    form(         '/console/settings/revoke-access',                                  pages.postRevokeAccess, pages.showSettings, fresh)
    page(         '/console/settings/export.zip',                                     pages.exportAccount, fresh)
    form(         '/console/settings/mails',                                          pages.postMails, pages.showSettings)
    form(         '/console/settings/operational-webhook',                            pages.postOwnWebhook, pages.showSettings, fresh)
    form(         '/console/settings/operational-webhook/rotate',                     pages.postRotateOwnWebhook, pages.showSettings, fresh)
    newcomerPage( '/console/settings/second-factor',                                  pages.showSecondFactor)
    newcomerForm( '/console/settings/second-factor/app',                              pages.postApp, pages.showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/app/confirm',                      pages.postConfirmApp, pages.showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/app/remove',                       pages.postRemoveApp, pages.showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/passkeys',                         pages.postPasskey, pages.showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/passkeys/options',                 pages.postPasskeyOptions, pages.showSecondFactor)
    newcomerForm( '/console/settings/second-factor/passkeys/:passkeyId/remove',       pages.postRemovePasskey, pages.showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/recovery-codes',                   pages.postRecoveryCodes, pages.showSecondFactor, fresh)
    page(         '/console/settings/history',                                        pages.showHistory)
    page(         '/console/settings/history.csv',                                    pages.exportHistory('csv'))
    page(         '/console/settings/history.jsonl',                                  pages.exportHistory('jsonl'))

    operatorPage( '/console/overview',                                                pages.showOverview)
    operatorPage( '/console/overview/live',                                           pages.liveOverview)
    operatorPage( '/console/users',                                                   pages.showUsers)
    operatorForm( '/console/users',                                                   pages.postUser, pages.showUsers, fresh)
    operatorPage( '/console/users/:userId',                                           pages.showUser)
    operatorForm( '/console/users/:userId/set-up-link',                               pages.postSetUpLink, pages.showUser, fresh)
    operatorForm( '/console/users/:userId/disable',                                   pages.postDisableUser, pages.showUser)
    operatorForm( '/console/users/:userId/enable',                                    pages.postEnableUser, pages.showUser)
    operatorForm( '/console/users/:userId/end-sessions',                              pages.postEndUserSessions, pages.showUser)
    operatorForm( '/console/users/:userId/revoke-access',                             pages.postRevokeUserAccess, pages.showUser)
    operatorForm( '/console/users/:userId/second-factor/ask',                         pages.postAskForRemoval, pages.showUser, fresh)
    operatorForm( '/console/users/:userId/second-factor/confirm',                     pages.postConfirmRemoval, pages.showUser, fresh)
    operatorForm( '/console/users/:userId/second-factor/withdraw',                    pages.postWithdrawRemoval, pages.showUser, fresh)
    operatorForm( '/console/users/:userId/lines',                                     pages.postUserLine, pages.showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/disable',                     pages.postUserLineStatus('disabled'), pages.showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/enable',                      pages.postUserLineStatus('active'), pages.showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/pause',                       pages.postUserLinePause, pages.showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/resume',                      pages.postUserLineResume, pages.showUser)
    operatorPage( '/console/users/:userId/messages/:messageId',                       pages.showUserMessage)
    operatorForm( '/console/users/:userId/messages/:messageId/look',                  pages.postLook, pages.showUserMessage)
    operatorForm( '/console/users/:userId/countries/resume',                          pages.postResumeCountry, pages.showUser)
    operatorForm( '/console/users/:userId/spend-cap',                                 pages.postSpendCap, pages.showUser)
    operatorPage( '/console/sending',                                                 pages.showSending)
    operatorForm( '/console/sending/pause',                                           pages.postPauseAll, pages.showSending)
    operatorForm( '/console/sending/resume',                                          pages.postResumeAll, pages.showSending)
    operatorPage( '/console/people',                                                  pages.showPeople)
    operatorForm( '/console/people',                                                  pages.postPerson, pages.showPeople)
    operatorForm( '/console/people/export',                                           pages.postExportPerson, pages.showPeople, fresh)
    operatorForm( '/console/people/forget',                                           pages.postForgetPerson, pages.showPeople, fresh)
    operatorPage( '/console/audit',                                                   pages.showAudit)
    operatorPage( '/console/audit.csv',                                               pages.exportAudit('csv'))
    operatorPage( '/console/audit.jsonl',                                             pages.exportAudit('jsonl'))
    operatorPage( '/console/carriers',                                                pages.showCarriers)
    operatorPage( '/console/carriers/live',                                           pages.liveCarriers)
    operatorPage( '/console/carriers/new',                                            pages.showNewCarrier)
    operatorForm( '/console/carriers/new',                                            pages.postCarrier, pages.showNewCarrier, fresh)
    operatorPage( '/console/carriers/:accountId',                                     pages.showCarrier)
    operatorPage( '/console/carriers/:accountId/live',                                pages.liveCarrier)
    operatorForm( '/console/carriers/:accountId/settings',                            pages.postCarrierSettings, pages.showCarrier, fresh)
    operatorForm( '/console/carriers/:accountId/sending/pause',                       pages.postCarrierPause, pages.showCarrier)
    operatorForm( '/console/carriers/:accountId/sending/resume',                      pages.postCarrierResume, pages.showCarrier)
    operatorForm( '/console/carriers/:accountId/test',                                pages.postCarrierTest, pages.showCarrier)
    operatorForm( '/console/carriers/:accountId/import',                              pages.postImport, pages.showCarrier)
    operatorForm( '/console/carriers/:accountId/set-up',                              pages.postCarrierSetUp, pages.showCarrier)
    operatorForm( '/console/carriers/:accountId/remove',                              pages.postCarrierRemoval, pages.showCarrier)

    get('/oauth/authorize',               oauth.boundStrangers(context), oauth.authorize(context))
    get('/oauth/authorize/:uid',          oauth.resume(context))
    page('/oauth/consent/:uid',           oauth.showConsent)
    form('/oauth/consent/:uid',           oauth.postConsent, oauth.showConsent, oauth.isNewConsent)
    oauthPost(['/oauth/access', '/oauth/token', '/v1/oauth/access'], oauth.exchange)
    oauthPost('/oauth/revoke',            oauth.revoke)
    oauthPost('/oauth/introspect',        oauth.introspect)
    get('/.well-known/oauth-authorization-server', oauth.getMetadata(context))
    get('/.well-known/openid-configuration',       oauth.getMetadata(context))
    get('/.well-known/webhook-keys/:endpointId',   getPublicKeys(context))

    get('/openapi.json',                  getOpenApi(context))
    get('/schemas/:type.json',            getEventSchema(context))
    get('/docs',                          allowPackagedPage, showDocs)

    get('/media/:token',                  getMedia(context))

    get('/healthz',                       api.healthz)
    get('/readyz',                        api.readyz(context))
    if (config.metricsToken !== undefined) {
      get('/metrics',                     api.getMetrics(context, config.metricsToken))
    }
    if (config.simulator) {
      post('/simulator/inbound',          requireSameSite(context), requireHereOrToken(context, 'changes account'), readJsonBody(), api.postInbound(context))
      get('/simulator/outbox',            requireHereOrToken(context, 'reads account'), api.getOutbox(context))
      get('/simulator/media/:token',      phones.getSimulatorMedia(context))
      page('/simulator',                  phones.showSimulator)
      page('/simulator/live',             phones.liveConversations)
      fileForm('/simulator/phones/:phone/messages',      phones.postPhoneMessage, phones.showSimulator)
      fileForm('/simulator/phones/:phone/voicemails',    phones.postVoicemail, phones.showSimulator)
    }
    router.all('/queues{/*path}',         allowPackagedPage, requireOperator(context), requireSameSite(context), recordQueueChanges(context), bullBoard(context, '/queues'))
  }

  app.use(firstRouter.routes())
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}

/** Leads people to the console. A program that does not ask for HTML gets a 404. */
const toConsole: Middleware = (ctx) => {
  if (ctx.get('Accept').includes('text/html')) ctx.redirect('/console')
  return Promise.resolve()
}
