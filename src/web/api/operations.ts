/** Every operation for programs, for the route table. */
export {
  getApplicationDeliveries,
  getApplicationSigningSecret,
  postApplicationHeldEvents,
  postApplicationSigningSecretRotation,
  postApplicationTestEvent,
} from './application-endpoints.js'
export {
  deleteOneApplication,
  getApplications,
  getOneApplication,
  postApplication,
  postClientSecretRotation,
  putApplication,
} from './applications.js'
export { deleteAuthorizations, deleteAuthorization, getAuthorizations } from './authorizations.js'
export { answerCarrierCallback, readCallbackBody } from './carrier-callbacks.js'
export { deleteLineConnection, getLineConnection, putLineConnection } from './connections.js'
export { getContacts, postContact, putContact } from './contacts.js'
export {
  getDeliveries,
  getOneDelivery,
  postApplicationEventsNow,
  postDeliveryAgain,
  postDeliveryNow,
  postLineEventsNow,
} from './deliveries.js'
export {
  getApplicationPolicy,
  getLinePolicy,
  patchApplicationPolicy,
  patchLinePolicy,
  postApplicationPolicyPreview,
  postLinePolicyPreview,
} from './endpoint-policies.js'
export { getEventStream } from './event-stream.js'
export { postListenerAttempts } from './listener-attempts.js'
export { healthz, readyz } from './health.js'
export {
  deleteIncomingWebhook,
  getIncomingWebhook,
  postIncomingWebhook,
  postTokenRegeneration,
} from './incoming-webhook-settings.js'
export {
  acceptWebhookMessage,
  BODY_REFUSALS,
  countRefusals,
  requireOpenIncomingWebhook,
} from './incoming-webhooks.js'
export { getLimits, getLine, getLines, putLine } from './lines.js'
export {
  BATCH_BOUND,
  BATCH_REFUSALS,
  getMessages,
  getOneMessage,
  patchMessage,
  postMessage,
  postMessageAgain,
  postMessageBatch,
  postMessageCancellation,
  postMessageNow,
  postLineMessagesTry,
} from './messages.js'
export { getMetrics } from './metrics.js'
export { getOptOuts } from './opt-outs.js'
export {
  deleteOneLineEndpoint,
  getLineEndpointDeliveries,
  getLineEndpoints,
  getLineSigningSecret,
  getOneLineEndpoint,
  patchLineEndpoint,
  postLineEndpoint,
  postLineEndpointEnabling,
  postLineHeldEvents,
  postLineSigningSecretRotation,
  postLineTestEvent,
} from './line-endpoints.js'
export {
  postApplicationEventsPause,
  postApplicationEventsResumption,
  postLineEventsPause,
  postLineEventsResumption,
  postLinePause,
  postLineResumption,
} from './pauses.js'
export { postSegments } from './segments.js'
export {
  getOneWork,
  getWorks,
  postApplicationReplay,
  postApplicationReplayPreview,
  postLineReplay,
  postLineReplayPreview,
  postWorkStop,
} from './works.js'
export { getOutbox, postInbound } from './simulator.js'
