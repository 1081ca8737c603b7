/** Every page of the console and what its forms do, for the route table. */
export { liveActivity, showActivity } from './activity.js'
export { postFields } from './application/fields-form.js'
export { postClientSecret } from './application/post-client-secret.js'
export { postApplicationTestEvent } from './application/post-test-event.js'
export { postEnableEndpoint, postHeldApplicationEvents, postSigningSecret } from './application/webhook.js'
export { postDeleteApplication, showApplication } from './application.js'
export { postApplication, showApplications } from './applications.js'
export {
  postDisconnectApplication,
  postDisconnectLine,
  showAuthorizedApplications,
} from './authorized-applications.js'
export { postCarrierRemoval, showCarrier } from './carrier.js'
export { postCarrier, showNewCarrier } from './carrier/new.js'
export { postCarrierSetUp, postImport } from './carrier/post-numbers.js'
export { liveCarrier } from './carrier/sessions.js'
export { postCarrierSettings } from './carrier/settings.js'
export { postCarrierTest } from './carrier/test.js'
export { liveCarriers, showCarriers } from './carriers.js'
export { showLine } from './line.js'
export { postDisable, postDisconnect, postEnable } from './line/connection.js'
export { postName } from './line/head.js'
export { postHeldEvents } from './line/held-events.js'
export {
  postDeleteIncomingWebhook,
  postIncomingWebhook,
  postRegenerate,
} from './line/incoming-webhook-forms.js'
export { liveLimits } from './line/limits.js'
export { postSegmentCount, postText } from './line/post-text.js'
export { postOptInEvents, postOutgoingUrl } from './line/outgoing-webhook.js'
export { postTestEvent } from './line/post-test-event.js'
export { postRotate } from './line/signing-secret.js'
export { showLines } from './lines.js'
export { liveMessage, postSendDeliveryAgain, postSendMessageAgain, showMessage } from './message.js'
export { postSetUp, showSetUp } from './set-up.js'
export { showSettings } from './settings.js'
export { postRevokeApiToken } from './settings/api-tokens.js'
export { postPassword } from './settings/password.js'
export { postApiToken } from './settings/post-api-token.js'
export { postEndOtherSessions, postEndSession } from './settings/sessions.js'
export { postConfirm, postSignIn, postSignOut, showConfirm, showSignIn } from './sign-in.js'
export { postSetUpLink, postUserLine, postUserLineStatus, showUser } from './user.js'
export { postUser, showUsers } from './users.js'
