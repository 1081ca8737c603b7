import { showLineAccess } from '../console/lines/line/access.js'
import { postDisable, postDisconnect, postEnable } from '../console/lines/line/connection.js'
import { showLineDanger } from '../console/lines/line/danger.js'
import { postLineEndpoint } from '../console/lines/line/endpoints.js'
import { postName } from '../console/lines/line/head.js'
import {
  postDeleteIncomingWebhook,
  postIncomingWebhook,
  postRegenerate,
} from '../console/lines/line/incoming-webhook.js'
import { liveLimits } from '../console/lines/line/limits.js'
import { postLineEndpointUrl } from '../console/lines/line/outgoing-webhook.js'
import { liveLine, showLine } from '../console/lines/line/overview.js'
import { showLineReceive } from '../console/lines/line/receive.js'
import { postSegmentCount, postText } from '../console/lines/line/send-text.js'
import { showLineSend } from '../console/lines/line/send.js'
import { postPause, postResume, postTryLineMessagesNow } from '../console/lines/line/sending.js'
import { showLines } from '../console/lines/lines.js'
import { postListPreview, postSendList, showTextList } from '../console/lines/text-list.js'
import {
  liveStart,
  postCloseTour,
  postStartIncomingWebhook,
  postStartTestEvent,
  postStartUrl,
  showStart,
} from '../console/lines/start.js'
import { exportOwnLine } from '../console/operating/exports.js'
import { fresh } from '../console/people/confirm-first.js'
import type { Routes } from './kinds.js'
import { toConsole } from './to-console.js'

export function linePages({ page, form, listForm }: Routes): void {
  // oxfmt-ignore
  {
    page(         '/console',                                                         showLines)
    page(         '/console/lines',                                                   () => toConsole)
    page(         '/console/lines/:lineId',                                           showLine)
    page(         '/console/lines/:lineId/live',                                      liveLine)
    page(         '/console/lines/:lineId/send',                                      showLineSend)
    page(         '/console/lines/:lineId/receive',                                   showLineReceive)
    page(         '/console/lines/:lineId/access',                                    showLineAccess)
    page(         '/console/lines/:lineId/danger',                                    showLineDanger)
    page(         '/console/lines/:lineId/export.zip',                                exportOwnLine, fresh)
    page(         '/console/lines/:lineId/limits/live',                               liveLimits)
    page(         '/console/lines/:lineId/start',                                     showStart)
    page(         '/console/lines/:lineId/start/live',                                liveStart)
    form(         '/console/lines/:lineId/start/incoming-webhook',                    postStartIncomingWebhook, showStart)
    form(         '/console/lines/:lineId/start/outgoing-webhook',                    postStartUrl, showStart, fresh)
    form(         '/console/lines/:lineId/start/test-event',                          postStartTestEvent, showStart)
    form(         '/console/tour/close',                                              postCloseTour, showLines)
    form(         '/console/lines/:lineId/name',                                      postName, showLine)
    form(         '/console/lines/:lineId/messages',                                  postText, showLineSend)
    form(         '/console/lines/:lineId/messages/segments',                         postSegmentCount, showLineSend)
    page(         '/console/lines/:lineId/list',                                      showTextList)
    listForm(     '/console/lines/:lineId/list/preview',                              postListPreview, showTextList)
    listForm(     '/console/lines/:lineId/list/messages',                             postSendList, showTextList)
    form(         '/console/lines/:lineId/sending/pause',                             postPause, showLineSend)
    form(         '/console/lines/:lineId/sending/resume',                            postResume, showLineSend)
    form(         '/console/lines/:lineId/sending/try-now',                           postTryLineMessagesNow, showLineSend)
    form(         '/console/lines/:lineId/connection/enable',                         postEnable, showLineAccess)
    form(         '/console/lines/:lineId/connection/disable',                        postDisable, showLineAccess)
    form(         '/console/lines/:lineId/connection/disconnect',                     postDisconnect, showLineDanger)
    form(         '/console/lines/:lineId/incoming-webhook',                          postIncomingWebhook, showLineSend)
    form(         '/console/lines/:lineId/incoming-webhook/regenerate',               postRegenerate, showLineSend)
    form(         '/console/lines/:lineId/incoming-webhook/delete',                   postDeleteIncomingWebhook, showLineDanger)
    form(         '/console/lines/:lineId/outgoing-webhook',                          postLineEndpointUrl, showLineReceive, fresh)
    form(         '/console/lines/:lineId/endpoints',                                 postLineEndpoint, showLineReceive, fresh)
  }
}
