import type { Database } from '../../../database/connection.js'
import { announceEvents, type NewDelivery } from '../../../database/endpoints/deliveries/creating.js'
import { insertMails } from '../../../database/operating/dispatches.js'
import { insertNotices, listNoticeReceivers, type NewNotice } from '../../../database/operating/notices.js'
import { newId } from '../../../ids.js'
import { noticesTold } from '../../../telemetry/metrics.js'
import type { Context } from '../../context.js'
import { payloadOf } from './describe.js'
import type { NoticeKind } from './kinds.js'

/** A notification of a kind that has words. */
export interface KnownNotice extends NewNotice {
  kind: NoticeKind
}

/**
 * Inserts notifications with their mails and events, in the transaction of what they report.
 *
 * @param goesToAll true for mails that people get whatever their settings
 * @returns the deliveries of the events, to be enqueued after the commit
 */
export async function insertWithDispatches(
  { config }: Pick<Context, 'config'>,
  trx: Database,
  notices: readonly KnownNotice[],
  goesToAll = false,
): Promise<NewDelivery[]> {
  await insertNotices(trx, notices)
  const ids = notices.map(({ id }) => id)
  if (config.smtp !== undefined) await insertMails(trx, ids, goesToAll)
  return announceEvents(trx, await eventsOf(trx, notices))
}

/**
 * Notifies a user, and the operators, of a change to the account that another person makes. The mail also goes to users
 * who want no other mails: it is how they find out about a change that they did not ask for. The sweep enqueues the
 * deliveries.
 */
export async function notifyOfAccountChange(
  context: Pick<Context, 'config'>,
  trx: Database,
  { kind, user, details }: { kind: NoticeKind; user: { id: string }; details: object },
): Promise<void> {
  const notice = { id: newId(), kind, subject: user.id, userId: user.id, details }
  await insertWithDispatches(context, trx, [notice], true)
  noticesTold.inc({ kind })
}

/** Makes an event for each user who has an operational webhook and may read the notification. */
async function eventsOf(trx: Database, notices: readonly KnownNotice[]) {
  const byId = new Map(notices.map((notice) => [notice.id, notice]))
  const receivers = await listNoticeReceivers(trx, [...byId.keys()])
  return receivers.flatMap(({ noticeId, userId }) => {
    const notice = byId.get(noticeId)
    if (notice === undefined) return []
    const { kind: type } = notice
    const about = { lineId: null, messageId: null, fromNumber: null, toNumber: null }
    return [{ id: newId(), userId, type, payload: payloadOf(notice), ...about }]
  })
}
