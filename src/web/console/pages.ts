/** Every page of the console and what its forms do, for the route table. */
export { liveActivity, showActivity } from './activity.js'
export { exportActivity } from './activity/export.js'
export { postDeleteApplication, showApplication } from './application.js'
export { postClientSecret } from './application/credentials.js'
export {
  postApplicationTestEvent,
  postEnableEndpoint,
  postHeldApplicationEvents,
  postPauseApplicationEvents,
  postResumeApplicationEvents,
  postSigningSecret,
  postTryApplicationEventsNow,
} from './application/endpoint.js'
export { postFields } from './application/fields-form.js'
export { postApplication, showApplications } from './applications.js'
export { postEndAuthorization, postEndAuthorizations, showAuthorizations } from './authorizations.js'
export { postCarrierRemoval, showCarrier } from './carrier.js'
export { postCarrier, showNewCarrier } from './carrier/new.js'
export { postImport } from './carrier/import.js'
export { postCarrierSetUp } from './carrier/numbers.js'
export { liveCarrier } from './carrier/sessions.js'
export { postCarrierPause, postCarrierResume } from './carrier/sending.js'
export { postCarrierSettings } from './carrier/settings.js'
export { postCarrierTest } from './carrier/test.js'
export { liveCarriers, showCarriers } from './carriers.js'
export { showEvents } from './events.js'
export { showAudit, showHistory } from './audit.js'
export { exportAudit, exportHistory } from './audit/export.js'
export {
  postApplicationPolicy,
  postApplicationPolicyPreview,
  postLinePolicy,
  postLinePolicyPreview,
} from './endpoint/policy.js'
export { postForgotPassword, showForgotPassword } from './forgot-password.js'
export { postNoticesRead, showNotices } from './notice-list.js'
export { showLineAccess } from './line/access.js'
export { postDisable, postDisconnect, postEnable } from './line/connection.js'
export {
  postLineEndpointUrl,
  postOptInEvents,
  postPauseEvents,
  postResumeEvents,
  postTestEvent,
  postTryLineEventsNow,
} from './line/endpoint.js'
export { showLineDanger } from './line/danger.js'
export {
  postDeleteFurtherEndpoint,
  postEnableFurtherEndpoint,
  postEndpointFields,
  showFurtherEndpoint,
} from './line/further-endpoint.js'
export { postLineEndpoint } from './line/further-endpoints.js'
export { isReplayElsewhere, postApplicationReplay, postLineReplay } from './endpoint/replay.js'
export { liveWorks, postStopWork, showWorks } from './works.js'
export { postName } from './line/head.js'
export { postHeldEvents } from './line/held-events.js'
export { postDeleteIncomingWebhook, postIncomingWebhook, postRegenerate } from './line/incoming-webhook.js'
export {
  postConfirmByPasskey,
  postConfirmOptions,
  postPasskeySignIn,
  postSignInOptions,
  showPasskeySignIn,
} from './passkey-sign-in.js'
export { postSearchLook, showSearch } from './search.js'
export { liveLine, showLine } from './line/overview.js'
export { showLineReceive } from './line/receive.js'
export { showLineSend } from './line/send.js'
export { liveLimits } from './line/limits.js'
export { postSegmentCount, postText } from './line/send-text.js'
export { postPause, postResume, postTryLineMessagesNow } from './line/sending.js'
export { postRotate } from './line/signing-secret.js'
export { showLines } from './lines.js'
export { liveStart, postCloseTour, postStartIncomingWebhook, postStartUrl, showStart } from './start.js'
export {
  liveMessage,
  postCancel,
  postReschedule,
  postSendDeliveryAgain,
  postSendMessageAgain,
  postTryDeliveryNow,
  postTryMessageNow,
  showMessage,
} from './message.js'
export {
  liveConversation,
  postAnswer,
  postAnswerSegments,
  postBlock,
  postContactName,
  postUnblock,
  showConversation,
} from './conversation.js'
export { showConversations } from './conversations.js'
export { liveOverview, showOverview } from './overview.js'
export { exportAccount, exportOwnLine, postExportPerson } from './exports.js'
export { postForgetPerson, postPerson, showPeople } from './people.js'
export { postPauseAll, postResumeAll, showSending } from './sending.js'
export { showSecondFactor } from './second-factor.js'
export { postApp, postConfirmApp, postRemoveApp } from './second-factor/authenticator-app.js'
export { postPasskey, postPasskeyOptions, postRemovePasskey } from './second-factor/passkeys.js'
export { postRecoveryCodes } from './second-factor/recovery-codes.js'
export { postSecondStep, showSecondStep } from './second-step.js'
export { postSetUp, showSetUp } from './set-up.js'
export { showSettings } from './settings.js'
export { postApiToken, postRevokeApiToken } from './settings/api-tokens.js'
export { postMails } from './settings/mails.js'
export { postOwnWebhook, postRotateOwnWebhook } from './settings/operational-webhook.js'
export { postPassword } from './settings/password.js'
export { postEndOtherSessions, postEndSession, postRevokeAccess } from './settings/sessions.js'
export { postConfirm, postSignIn, postSignOut, showConfirm, showSignIn } from './sign-in.js'
export {
  postSetUpLink,
  postUserLine,
  postUserLinePause,
  postUserLineResume,
  postUserLineStatus,
  showUser,
} from './user.js'
export { postResumeCountry } from './user/countries.js'
export { postLook, showUserMessage } from './user/message.js'
export { postSpendCap } from './user/spend-caps.js'
export { postDisableUser, postEnableUser, postEndUserSessions, postRevokeUserAccess } from './user/access.js'
export { postAskForRemoval, postConfirmRemoval, postWithdrawRemoval } from './user/second-factor.js'
export { postUser, showUsers } from './users.js'
