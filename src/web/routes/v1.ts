import { SCOPES } from '../../domain/applications/application-access.js'
import type { Context } from '../../domain/context.js'
import {
  deleteOneApplication,
  getApplications,
  getOneApplication,
  postApplication,
  postClientSecretRotation,
  putApplication,
} from '../api/applications.js'
import { deleteAuthorization, deleteAuthorizations, getAuthorizations } from '../api/authorizations.js'
import { answerCarrierCallback, readCallbackBody } from '../api/carrier-callbacks.js'
import {
  deleteLineConnection,
  getLineConnection,
  postTrigger,
  putLineConnection,
} from '../api/connections.js'
import { getContacts, postContact, putContact } from '../api/contacts.js'
import { getDeliveries, getOneDelivery, postDeliveryAgain, postDeliveryNow } from '../api/deliveries.js'
import {
  deleteOneEndpoint,
  getEndpointDeliveries,
  getEndpointPolicy,
  getEndpoints,
  getOneEndpoint,
  getSigningSecret,
  patchEndpoint,
  patchEndpointPolicy,
  postEndpoint,
  postEndpointEnabling,
  postEndpointNow,
  postEndpointPause,
  postEndpointResumption,
  postHeldEvents,
  postPolicyPreview,
  postSecretRotation,
  postTestEvent,
} from '../api/endpoints.js'
import { getEventStream } from '../api/event-stream.js'
import {
  deleteIncomingWebhook,
  getIncomingWebhook,
  postIncomingWebhook,
  postTokenRegeneration,
} from '../api/incoming-webhook-settings.js'
import {
  BODY_REFUSALS,
  acceptWebhookMessage,
  countRefusals,
  requireOpenIncomingWebhook,
} from '../api/incoming-webhooks.js'
import { getLimits, getLine, getLines, putLine } from '../api/lines.js'
import { postListenerAttempts } from '../api/listener-attempts.js'
import {
  BATCH_BOUND,
  BATCH_REFUSALS,
  getMessages,
  getOneMessage,
  patchMessage,
  postLineMessagesTry,
  postMessage,
  postMessageAgain,
  postMessageBatch,
  postMessageCancellation,
  postMessageNow,
} from '../api/messages.js'
import { getOptOuts } from '../api/opt-outs.js'
import { postLinePause, postLineResumption } from '../api/pauses.js'
import { postSegments } from '../api/segments.js'
import { getOneTask, getTasks, postReplay, postReplayPreview, postTaskStop } from '../api/tasks.js'
import { readFieldsBody, readJsonBody } from '../middleware/json-body.js'
import type { Routes } from './kinds.js'

/** An application's token must have one of these. */
const MESSAGE_SCOPES = ['messages:connect', 'messages:write'] as const

/** What programs ask: incoming webhooks, callbacks of carriers, and `/v1`. */
export function programRoutes(context: Context, { postFirst, v1 }: Routes): void {
  const { vocabulary } = context
  // prettier-ignore
  {
    postFirst(vocabulary.incomingWebhookPaths, countRefusals, requireOpenIncomingWebhook(context), readJsonBody(BODY_REFUSALS), acceptWebhookMessage(context))
    postFirst(['/carriers/:kind/:accountId/:name'], readCallbackBody(), answerCarrierCallback(context))
    v1('get',    '/v1/lines',                                     'reads lines',     getLines, SCOPES)
    v1('get',    '/v1/lines/:lineId',                             'reads lines',     getLine, SCOPES)
    v1('put',    '/v1/lines/:lineId',                             'changes lines',   putLine, ['lines:write'])
    v1('post',   '/v1/lines/:lineId/pause-sending',               'changes lines',   postLinePause)
    v1('post',   '/v1/lines/:lineId/resume-sending',              'changes lines',   postLineResumption)
    v1('post',   '/v1/lines/:lineId/try-messages-now',            'changes lines',   postLineMessagesTry)
    v1('get',    '/v1/lines/:lineId/limits',                      'reads lines',     getLimits)
    v1('get',    '/v1/lines/:lineId/opt-outs',                    'reads lines',     getOptOuts)
    v1('get',    '/v1/lines/:lineId/events/stream',               'reads lines',     getEventStream)
    v1('post',   '/v1/lines/:lineId/events/attempts',             'changes lines',   postListenerAttempts)
    v1('get',    '/v1/lines/:lineId/connection',                  'reads lines',     getLineConnection)
    v1('put',    '/v1/lines/:lineId/connection',                  'changes lines',   putLineConnection)
    v1('delete', '/v1/lines/:lineId/connection',                  'changes lines',   deleteLineConnection)
    v1('post',   '/v1/lines/:lineId/events/trigger',              'changes lines',   postTrigger)
    v1('get',    '/v1/lines/:lineId/incoming-webhook',            'reveals lines',   getIncomingWebhook)
    v1('post',   '/v1/lines/:lineId/incoming-webhook',            'changes lines',   postIncomingWebhook)
    v1('delete', '/v1/lines/:lineId/incoming-webhook',            'changes lines',   deleteIncomingWebhook)
    v1('post',   '/v1/lines/:lineId/incoming-webhook/regenerate', 'changes lines',   postTokenRegeneration)
    v1('get',    '/v1/endpoints',                                 'reads lines',     getEndpoints, ['messages:connect'])
    v1('post',   '/v1/endpoints',                                 'changes lines',   postEndpoint)
    v1('get',    '/v1/endpoints/:endpointId',                     'reads lines',     getOneEndpoint, ['messages:connect'])
    v1('patch',  '/v1/endpoints/:endpointId',                     'changes lines',   patchEndpoint)
    v1('delete', '/v1/endpoints/:endpointId',                     'changes lines',   deleteOneEndpoint)
    v1('post',   '/v1/endpoints/:endpointId/test-event',          'changes lines',   postTestEvent, ['messages:connect'])
    v1('post',   '/v1/endpoints/:endpointId/enable',              'changes lines',   postEndpointEnabling)
    v1('post',   '/v1/endpoints/:endpointId/pause',               'changes lines',   postEndpointPause)
    v1('post',   '/v1/endpoints/:endpointId/resume',              'changes lines',   postEndpointResumption)
    v1('post',   '/v1/endpoints/:endpointId/try-now',             'changes lines',   postEndpointNow, ['messages:connect'])
    v1('post',   '/v1/endpoints/:endpointId/send-held-events',    'changes lines',   postHeldEvents, ['messages:connect'])
    v1('post',   '/v1/endpoints/:endpointId/replay',              'changes lines',   postReplay, ['messages:connect'])
    v1('post',   '/v1/endpoints/:endpointId/replay/preview',      'changes lines',   postReplayPreview, ['messages:connect'])
    v1('get',    '/v1/endpoints/:endpointId/policy',              'reads lines',     getEndpointPolicy)
    v1('patch',  '/v1/endpoints/:endpointId/policy',              'changes lines',   patchEndpointPolicy)
    v1('post',   '/v1/endpoints/:endpointId/policy/preview',      'changes lines',   postPolicyPreview)
    v1('get',    '/v1/endpoints/:endpointId/signing-secret',      'reveals lines',   getSigningSecret)
    v1('post',   '/v1/endpoints/:endpointId/rotate-secret',       'changes lines',   postSecretRotation)
    v1('get',    '/v1/endpoints/:endpointId/deliveries',          'reads lines',     getEndpointDeliveries)
    v1('get',    '/v1/messages',                                  'reads lines',     getMessages, MESSAGE_SCOPES)
    v1('post',   '/v1/messages',                                  'changes lines',   postMessage, MESSAGE_SCOPES, readFieldsBody())
    v1('post',   '/v1/messages/batch',                            'changes lines',   postMessageBatch, MESSAGE_SCOPES, readJsonBody(BATCH_REFUSALS, { bound: BATCH_BOUND }))
    v1('get',    '/v1/messages/:messageId',                       'reads lines',     getOneMessage, MESSAGE_SCOPES)
    v1('patch',  '/v1/messages/:messageId',                       'changes lines',   patchMessage, MESSAGE_SCOPES)
    v1('post',   '/v1/messages/:messageId/cancel',                'changes lines',   postMessageCancellation, MESSAGE_SCOPES)
    v1('post',   '/v1/messages/:messageId/send-again',            'changes lines',   postMessageAgain)
    v1('post',   '/v1/messages/:messageId/try-now',               'changes lines',   postMessageNow)
    v1('get',    '/v1/contacts',                                  'reads account',   getContacts, ['contacts:read'])
    v1('post',   '/v1/contacts',                                  'changes account', postContact, ['contacts:write'], readFieldsBody())
    v1('put',    '/v1/contacts/:contactId',                        'changes account', putContact, ['contacts:write'], readFieldsBody())
    v1('post',   '/v1/segments',                                  'reads lines',     postSegments, MESSAGE_SCOPES)
    v1('get',    '/v1/deliveries',                                'reads lines',     getDeliveries)
    v1('get',    '/v1/deliveries/:deliveryId',                    'reads lines',     getOneDelivery)
    v1('post',   '/v1/deliveries/:deliveryId/send-again',         'changes lines',   postDeliveryAgain)
    v1('post',   '/v1/deliveries/:deliveryId/try-now',            'changes lines',   postDeliveryNow)
    v1('get',    '/v1/tasks',                                     'reads lines',     getTasks, ['messages:connect'])
    v1('get',    '/v1/tasks/:taskId',                             'reads lines',     getOneTask, ['messages:connect'])
    v1('post',   '/v1/tasks/:taskId/stop',                        'changes lines',   postTaskStop, ['messages:connect'])
    v1('get',    '/v1/applications',                                             'reads account',   getApplications)
    v1('post',   '/v1/applications',                                             'changes account', postApplication)
    v1('get',    '/v1/applications/:applicationId',                              'reads account',   getOneApplication)
    v1('put',    '/v1/applications/:applicationId',                              'changes account', putApplication)
    v1('delete', '/v1/applications/:applicationId',                              'changes account', deleteOneApplication)
    v1('post',   '/v1/applications/:applicationId/rotate-secret',                'changes account', postClientSecretRotation)
    v1('get',    '/v1/authorized-applications',                                        'reads account',   getAuthorizations)
    v1('delete', '/v1/authorized-applications/:applicationId',                         'changes account', deleteAuthorizations)
    v1('delete', '/v1/authorized-applications/:applicationId/lines/:lineId',           'changes account', deleteAuthorization)
  }
}
