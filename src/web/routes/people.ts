import type { Context } from '../../domain/context.js'
import { showHistory } from '../console/operating/audit.js'
import { exportHistory } from '../console/operating/audit/export.js'
import { exportAccount } from '../console/operating/exports.js'
import { fresh } from '../console/people/confirm-first.js'
import { postConfirm, showConfirm } from '../console/people/confirm.js'
import { postForgotPassword, showForgotPassword } from '../console/people/forgot-password.js'
import {
  postConfirmByPasskey,
  postConfirmOptions,
  postPasskeySignIn,
  postSignInOptions,
  showPasskeySignIn,
} from '../console/people/passkey-sign-in.js'
import { showSecondFactor } from '../console/people/second-factor.js'
import { postApp, postConfirmApp, postRemoveApp } from '../console/people/second-factor/authenticator-app.js'
import {
  postPasskey,
  postPasskeyOptions,
  postRemovePasskey,
} from '../console/people/second-factor/passkeys.js'
import { postRecoveryCodes } from '../console/people/second-factor/recovery-codes.js'
import { postSecondStep, showSecondStep } from '../console/people/second-step.js'
import { postSetUp, showSetUp } from '../console/people/set-up.js'
import { showSettings } from '../console/people/settings.js'
import { postApiToken, postRevokeApiToken } from '../console/people/settings/api-tokens.js'
import { postMails } from '../console/people/settings/mails.js'
import { postOperationalWebhook } from '../console/people/settings/operational-webhooks.js'
import { postPassword } from '../console/people/settings/password.js'
import {
  postEndOtherSessions,
  postEndSession,
  postRevokeAccess,
} from '../console/people/settings/sessions.js'
import { postSignIn, postSignOut, showSignIn } from '../console/people/sign-in.js'
import {
  postSetUpLink,
  postUserLine,
  postUserLinePause,
  postUserLineResume,
  postUserLineStatus,
  showUser,
} from '../console/people/user.js'
import {
  postDisableUser,
  postEnableUser,
  postEndUserSessions,
  postRevokeUserAccess,
} from '../console/people/user/access.js'
import { postResumeCountry } from '../console/people/user/countries.js'
import { postLook, showUserMessage } from '../console/people/user/message.js'
import {
  postAskForRemoval,
  postConfirmRemoval,
  postWithdrawRemoval,
} from '../console/people/user/second-factor.js'
import { postLineSettings } from '../console/people/user/limits.js'
import { postUserLineRoutes } from '../console/people/user/routes.js'
import { postMonthlyCap, postSpendCap } from '../console/people/user/spend-caps.js'
import { postPortal, showPortal } from '../console/portal/open.js'
import { exportUserUsage } from '../console/usage/usage.js'
import { postUser, showUsers } from '../console/people/users.js'
import type { Routes } from './kinds.js'

/** Signing in, settings, and the pages of users. */
export function peoplePages(
  context: Context,
  { openPage, openForm, newcomerPage, newcomerForm, page, form, operatorPage, operatorForm }: Routes,
): void {
  const { config } = context
  // oxfmt-ignore
  {
    openPage(     '/console/set-up',                                                  showSetUp)
    openForm(     '/console/set-up',                                                  postSetUp, showSetUp)
    openPage(     '/console/portal',                                                  showPortal)
    openForm(     '/console/portal',                                                  postPortal, showPortal)
    openPage(     '/console/sign-in',                                                 showSignIn)
    openForm(     '/console/sign-in',                                                 postSignIn, showSignIn)
    if (config.smtp !== undefined) {
      openPage(   '/console/forgot-password',                                         showForgotPassword)
      openForm(   '/console/forgot-password',                                         postForgotPassword, showForgotPassword)
    }
    openPage(     '/console/sign-in/second-step',                                     showSecondStep)
    openForm(     '/console/sign-in/second-step',                                     postSecondStep, showSecondStep)
    openForm(     '/console/sign-in/passkey',                                         postPasskeySignIn, showPasskeySignIn)
    openForm(     '/console/sign-in/passkey/options',                                 postSignInOptions, showPasskeySignIn)
    newcomerForm( '/console/sign-out',                                                postSignOut, showSettings)
    newcomerPage( '/console/confirm',                                                 showConfirm)
    newcomerForm( '/console/confirm',                                                 postConfirm, showConfirm)
    newcomerForm( '/console/confirm/passkey',                                         postConfirmByPasskey, showConfirm)
    newcomerForm( '/console/confirm/passkey/options',                                 postConfirmOptions, showConfirm)
    page(         '/console/settings',                                                showSettings)
    form(         '/console/settings/password',                                       postPassword, showSettings)
    form(         '/console/settings/api-tokens',                                     postApiToken, showSettings, fresh)
    form(         '/console/settings/api-tokens/:tokenId/revoke',                     postRevokeApiToken, showSettings)
    form(         '/console/settings/sessions/end-others',                            postEndOtherSessions, showSettings, fresh)
    form(         '/console/settings/sessions/:sessionId/end',                        postEndSession, showSettings, fresh)
    form(         '/console/settings/revoke-access',                                  postRevokeAccess, showSettings, fresh)
    page(         '/console/settings/export.zip',                                     exportAccount, fresh)
    form(         '/console/settings/mails',                                          postMails, showSettings)
    form(         '/console/settings/operational-webhooks',                           postOperationalWebhook, showSettings, fresh)
    newcomerPage( '/console/settings/second-factor',                                  showSecondFactor)
    newcomerForm( '/console/settings/second-factor/app',                              postApp, showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/app/confirm',                      postConfirmApp, showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/app/remove',                       postRemoveApp, showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/passkeys',                         postPasskey, showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/passkeys/options',                 postPasskeyOptions, showSecondFactor)
    newcomerForm( '/console/settings/second-factor/passkeys/:passkeyId/remove',       postRemovePasskey, showSecondFactor, fresh)
    newcomerForm( '/console/settings/second-factor/recovery-codes',                   postRecoveryCodes, showSecondFactor, fresh)
    page(         '/console/settings/history',                                        showHistory)
    page(         '/console/settings/history.csv',                                    exportHistory('csv'))
    page(         '/console/settings/history.jsonl',                                  exportHistory('jsonl'))
    operatorPage( '/console/users',                                                   showUsers)
    operatorForm( '/console/users',                                                   postUser, showUsers, fresh)
    operatorPage( '/console/users/:userId',                                           showUser)
    operatorForm( '/console/users/:userId/set-up-link',                               postSetUpLink, showUser, fresh)
    operatorForm( '/console/users/:userId/disable',                                   postDisableUser, showUser)
    operatorForm( '/console/users/:userId/enable',                                    postEnableUser, showUser)
    operatorForm( '/console/users/:userId/end-sessions',                              postEndUserSessions, showUser)
    operatorForm( '/console/users/:userId/revoke-access',                             postRevokeUserAccess, showUser)
    operatorForm( '/console/users/:userId/second-factor/ask',                         postAskForRemoval, showUser, fresh)
    operatorForm( '/console/users/:userId/second-factor/confirm',                     postConfirmRemoval, showUser, fresh)
    operatorForm( '/console/users/:userId/second-factor/withdraw',                    postWithdrawRemoval, showUser, fresh)
    operatorForm( '/console/users/:userId/lines',                                     postUserLine, showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/disable',                     postUserLineStatus('disabled'), showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/enable',                      postUserLineStatus('active'), showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/settings',                    postLineSettings, showUser, fresh)
    operatorForm( '/console/users/:userId/lines/:lineId/routes',                      postUserLineRoutes, showUser, fresh)
    operatorForm( '/console/users/:userId/lines/:lineId/pause',                       postUserLinePause, showUser)
    operatorForm( '/console/users/:userId/lines/:lineId/resume',                      postUserLineResume, showUser)
    operatorPage( '/console/users/:userId/messages/:messageId',                       showUserMessage)
    operatorForm( '/console/users/:userId/messages/:messageId/look',                  postLook, showUserMessage)
    operatorForm( '/console/users/:userId/countries/resume',                          postResumeCountry, showUser)
    operatorForm( '/console/users/:userId/spend-cap',                                 postSpendCap, showUser)
    operatorForm( '/console/users/:userId/monthly-cap',                               postMonthlyCap, showUser)
    operatorPage( '/console/users/:userId/usage.csv',                                 exportUserUsage)
  }
}
