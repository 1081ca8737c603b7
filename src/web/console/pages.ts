/** Every page of the console and what its forms do, for the route table. */
export { liveActivity, showActivity } from './messages/activity.js'
export { exportActivity } from './messages/activity/export.js'
export { postDeleteApplication, showApplication } from './applications/application.js'
export { postClientSecret } from './applications/application/credentials.js'
export {
  postApplicationTestEvent,
  postEnableEndpoint,
  postHeldApplicationEvents,
  postPauseApplicationEvents,
  postResumeApplicationEvents,
  postSigningSecret,
  postTryApplicationEventsNow,
} from './applications/application/endpoint.js'
export { postFields } from './applications/application/fields-form.js'
export { postApplication, showApplications } from './applications/applications.js'
export {
  postEndAuthorization,
  postEndAuthorizations,
  showAuthorizations,
} from './applications/authorizations.js'
export { postCarrierRemoval, showCarrier } from './carriers/carrier.js'
export { postCarrier, showNewCarrier } from './carriers/carrier/new.js'
export { postImport } from './carriers/carrier/import.js'
export { postCarrierSetUp } from './carriers/carrier/numbers.js'
export { liveCarrier } from './carriers/carrier/sessions.js'
export { postCarrierPause, postCarrierResume } from './carriers/carrier/sending.js'
export { postCarrierSettings } from './carriers/carrier/settings.js'
export { postCarrierTest } from './carriers/carrier/test.js'
export { liveCarriers, showCarriers } from './carriers/carriers.js'
export { showEvents } from './endpoints/events.js'
export { showAudit, showHistory } from './operating/audit.js'
export { exportAudit, exportHistory } from './operating/audit/export.js'
export {
  postApplicationPolicy,
  postApplicationPolicyPreview,
  postLinePolicy,
  postLinePolicyPreview,
} from './endpoints/policy.js'
export { postForgotPassword, showForgotPassword } from './people/forgot-password.js'
export { postNoticesRead, showNotices } from './operating/notice-list.js'
export { showLineAccess } from './lines/line/access.js'
export { postDisable, postDisconnect, postEnable } from './lines/line/connection.js'
export {
  postLineEndpointUrl,
  postOptInEvents,
  postPauseEvents,
  postResumeEvents,
  postTestEvent,
  postTryLineEventsNow,
} from './lines/line/endpoint.js'
export { showLineDanger } from './lines/line/danger.js'
export {
  postDeleteFurtherEndpoint,
  postEnableFurtherEndpoint,
  postEndpointFields,
  showFurtherEndpoint,
} from './lines/line/further-endpoint.js'
export { postLineEndpoint } from './lines/line/further-endpoints.js'
export { isReplayElsewhere, postApplicationReplay, postLineReplay } from './endpoints/replay.js'
export { liveWorks, postStopWork, showWorks } from './operating/works.js'
export { postName } from './lines/line/head.js'
export { postHeldEvents } from './lines/line/held-events.js'
export {
  postDeleteIncomingWebhook,
  postIncomingWebhook,
  postRegenerate,
} from './lines/line/incoming-webhook.js'
export {
  postConfirmByPasskey,
  postConfirmOptions,
  postPasskeySignIn,
  postSignInOptions,
  showPasskeySignIn,
} from './people/passkey-sign-in.js'
export { postSearchLook, showSearch } from './messages/search.js'
export { liveLine, showLine } from './lines/line/overview.js'
export { showLineReceive } from './lines/line/receive.js'
export { showLineSend } from './lines/line/send.js'
export { liveLimits } from './lines/line/limits.js'
export { postSegmentCount, postText } from './lines/line/send-text.js'
export { postPause, postResume, postTryLineMessagesNow } from './lines/line/sending.js'
export { postRotate } from './lines/line/signing-secret.js'
export { showLines } from './lines/lines.js'
export { liveStart, postCloseTour, postStartIncomingWebhook, postStartUrl, showStart } from './lines/start.js'
export {
  liveMessage,
  postCancel,
  postReschedule,
  postSendDeliveryAgain,
  postSendMessageAgain,
  postTryDeliveryNow,
  postTryMessageNow,
  showMessage,
} from './messages/message.js'
export {
  liveConversation,
  postAnswer,
  postAnswerSegments,
  postBlock,
  postContactName,
  postUnblock,
  showConversation,
} from './messages/conversation.js'
export { showConversations } from './messages/conversations.js'
export { liveOverview, showOverview } from './operating/overview.js'
export { exportAccount, exportOwnLine, postExportPerson } from './operating/exports.js'
export { postForgetPerson, postPerson, showPeople } from './operating/people.js'
export { postPauseAll, postResumeAll, showSending } from './operating/sending.js'
export { showSecondFactor } from './people/second-factor.js'
export { postApp, postConfirmApp, postRemoveApp } from './people/second-factor/authenticator-app.js'
export { postPasskey, postPasskeyOptions, postRemovePasskey } from './people/second-factor/passkeys.js'
export { postRecoveryCodes } from './people/second-factor/recovery-codes.js'
export { postSecondStep, showSecondStep } from './people/second-step.js'
export { postSetUp, showSetUp } from './people/set-up.js'
export { showSettings } from './people/settings.js'
export { postApiToken, postRevokeApiToken } from './people/settings/api-tokens.js'
export { postMails } from './people/settings/mails.js'
export { postOwnWebhook, postRotateOwnWebhook } from './people/settings/operational-webhook.js'
export { postPassword } from './people/settings/password.js'
export { postEndOtherSessions, postEndSession, postRevokeAccess } from './people/settings/sessions.js'
export { postConfirm, postSignIn, postSignOut, showConfirm, showSignIn } from './people/sign-in.js'
export {
  postSetUpLink,
  postUserLine,
  postUserLinePause,
  postUserLineResume,
  postUserLineStatus,
  showUser,
} from './people/user.js'
export { postResumeCountry } from './people/user/countries.js'
export { postLook, showUserMessage } from './people/user/message.js'
export { postSpendCap } from './people/user/spend-caps.js'
export {
  postDisableUser,
  postEnableUser,
  postEndUserSessions,
  postRevokeUserAccess,
} from './people/user/access.js'
export { postAskForRemoval, postConfirmRemoval, postWithdrawRemoval } from './people/user/second-factor.js'
export { postUser, showUsers } from './people/users.js'
