import { liveActivity, postRetry, showActivity } from '../console/messages/activity.js'
import { exportActivity } from '../console/messages/activity/export.js'
import {
  liveConversation,
  livePeople,
  postAnswer,
  postAnswerSegments,
  postArchive,
  postBlock,
  postContactName,
  postUnarchive,
  postUnblock,
  postUnread,
  showConversation,
} from '../console/messages/conversation.js'
import { liveConversations, showConversations } from '../console/messages/conversations.js'
import { liveInbox, postAllRead, showInbox } from '../console/messages/inbox.js'
import {
  liveMessage,
  postCancel,
  postReschedule,
  postSendDeliveryAgain,
  postSendMessageAgain,
  postTryDeliveryNow,
  postTryMessageNow,
  showMessage,
} from '../console/messages/message.js'
import { postSearchLook, showSearch } from '../console/messages/search.js'
import { exportUsage, showUsage } from '../console/usage/usage.js'
import { showTraffic } from '../console/traffic.js'
import type { Routes } from './kinds.js'

/** The pages of messages, conversations, activity and search, and their forms. */
export function messagePages({ page, form, answerForm, operatorForm }: Routes): void {
  // oxfmt-ignore
  {
    page(         '/console/lines/:lineId/conversations',                             showConversations)
    page(         '/console/lines/:lineId/inbox/live',                                liveConversations)
    page(         '/console/lines/:lineId/inbox/beside/live',                         livePeople)
    page(         '/console/lines/:lineId/conversations/:number',                     showConversation)
    page(         '/console/lines/:lineId/conversations/:number/live',                liveConversation)
    answerForm(   '/console/lines/:lineId/conversations/:number/messages',            postAnswer, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/messages/segments',   postAnswerSegments, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/name',                postContactName, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/block',               postBlock, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/unblock',             postUnblock, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/unread',              postUnread, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/archive',             postArchive, showConversation)
    form(         '/console/lines/:lineId/conversations/:number/unarchive',           postUnarchive, showConversation)
    page(         '/console/inbox',                                                   showInbox)
    page(         '/console/inbox/live',                                              liveInbox)
    form(         '/console/inbox/read',                                              postAllRead, showInbox)
    page(         '/console/search',                                                  showSearch)
    operatorForm( '/console/search/look',                                             postSearchLook, showSearch)
    page(         '/console/activity',                                                showActivity)
    form(         '/console/activity/retry',                                          postRetry, showActivity)
    page(         '/console/activity.csv',                                            exportActivity)
    page(         '/console/activity/live',                                           liveActivity)
    page(         '/console/traffic',                                                 showTraffic)
    page(         '/console/usage',                                                   showUsage)
    page(         '/console/usage.csv',                                               exportUsage)
    page(         '/console/messages/:messageId',                                     showMessage)
    page(         '/console/messages/:messageId/live',                                liveMessage)
    form(         '/console/messages/:messageId/send-again',                          postSendMessageAgain, showMessage)
    form(         '/console/messages/:messageId/try-now',                             postTryMessageNow, showMessage)
    form(         '/console/messages/:messageId/reschedule',                          postReschedule, showMessage)
    form(         '/console/messages/:messageId/cancel',                              postCancel, showMessage)
    form(         '/console/messages/:messageId/deliveries/:deliveryId/send-again',   postSendDeliveryAgain, showMessage)
    form(         '/console/messages/:messageId/deliveries/:deliveryId/try-now',      postTryDeliveryNow, showMessage)
  }
}
