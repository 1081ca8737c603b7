import { showAudit } from '../console/operating/audit.js'
import { exportAudit } from '../console/operating/audit/export.js'
import { postExportPerson } from '../console/operating/exports.js'
import { liveOfBrowser } from '../console/live/shared.js'
import { postNoticesRead, showNotices } from '../console/operating/notice-list.js'
import { liveOverview, showOverview } from '../console/operating/overview.js'
import { postForgetPerson, postPerson, showPeople } from '../console/operating/people.js'
import { postPauseAll, postResumeAll, showSending } from '../console/operating/sending.js'
import { exportTextResults } from '../console/lines/text-list/results.js'
import { liveTasks, postStopTask, showTasks } from '../console/operating/tasks.js'
import { liveHeadCounts } from '../console/parts/unread.js'
import { fresh } from '../console/people/confirm-first.js'
import type { Routes } from './kinds.js'

/** Notifications, background tasks, and the operators' pages. */
export function operatingPages({ page, form, operatorPage, operatorForm }: Routes): void {
  // oxfmt-ignore
  {
    page(         '/console/live',                                                    liveOfBrowser)
    page(         '/console/unread/live',                                             liveHeadCounts)
    page(         '/console/notices',                                                 showNotices)
    form(         '/console/notices/read',                                            postNoticesRead, showNotices)
    page(         '/console/tasks',                                                   showTasks)
    page(         '/console/tasks/live',                                              liveTasks)
    page(         '/console/tasks/:taskId/results.csv',                               exportTextResults)
    form(         '/console/tasks/:taskId/stop',                                      postStopTask, showTasks)
    operatorPage( '/console/overview',                                                showOverview)
    operatorPage( '/console/overview/live',                                           liveOverview)
    operatorPage( '/console/sending',                                                 showSending)
    operatorForm( '/console/sending/pause',                                           postPauseAll, showSending)
    operatorForm( '/console/sending/resume',                                          postResumeAll, showSending)
    operatorPage( '/console/people',                                                  showPeople)
    operatorForm( '/console/people',                                                  postPerson, showPeople)
    operatorForm( '/console/people/export',                                           postExportPerson, showPeople, fresh)
    operatorForm( '/console/people/forget',                                           postForgetPerson, showPeople, fresh)
    operatorPage( '/console/audit',                                                   showAudit)
    operatorPage( '/console/audit.csv',                                               exportAudit('csv'))
    operatorPage( '/console/audit.jsonl',                                             exportAudit('jsonl'))
  }
}
