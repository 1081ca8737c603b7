import { transaction, type Database } from '../../database/connection.js'
import { insertMails, insertWebhookCalls } from '../../database/dispatches.js'
import {
  endCauses,
  listOpenCauses,
  lockNotices,
  openCauses,
  takeCauses,
  takeMoment,
  type OpenCause,
} from '../../database/notice-causes.js'
import { insertNotices, type NewNotice } from '../../database/notices.js'
import { asError, Unavailable } from '../../errors.js'
import { newId } from '../../ids.js'
import { noticesTold } from '../../telemetry/metrics.js'
import type { Context } from '../context.js'
import { watchCarriers } from './carriers.js'
import { watchEndpoints } from './endpoints.js'
import { watchMessages } from './messages.js'
import { watchQueues } from './queues.js'
import type { Found, Watched } from './troubles.js'

/** When a thousand endpoints fail together, the rest is told of at the next looks. */
const MAX_TOLD_AT_ONCE = 200

const WATCHED = [watchEndpoints, watchMessages, watchCarriers, watchQueues]

/**
 * Looks at the rows, as the overview does, and tells of what is wrong, and of what was and is well again. Any number of
 * processes may look: `notice_causes` has when each cause was told last, and none is told twice within an hour. The notices
 * and what is to go out of them are committed together with that.
 *
 * A part that cannot be looked at keeps the others from nothing.
 *
 * @returns how many notices came of it
 */
export async function lookForNotices(context: Context): Promise<number> {
  let count = 0
  for (const watch of WATCHED) count += await lookAt(context, watch(context))
  return count
}

async function lookAt(context: Context, { kinds, look }: Watched): Promise<number> {
  const { db, log } = context
  try {
    const open = await listOpenCauses(db, kinds)
    const found = await look(open)
    if (found.troubles.length === 0 && open.length === 0) return 0
    const told = await transaction(db, (trx) => tell(context, trx, kinds, found))
    for (const { id: noticeId, kind, subject, userId } of told) {
      noticesTold.inc({ kind })
      log.info({ noticeId, kind, subject, userId }, 'notice.told')
    }
    return told.length
  } catch (error) {
    const level = error instanceof Unavailable ? 'warn' : 'error'
    log[level]({ kinds, err: asError(error) }, 'notices.failed')
    return 0
  }
}

async function tell(
  { config }: Context,
  trx: Database,
  kinds: Watched['kinds'],
  { troubles, endOf }: Found,
): Promise<NewNotice[]> {
  if (!(await lockNotices(trx))) return []
  const wrong = new Map(troubles.map((trouble) => [keyOf(trouble), trouble]))
  await openCauses(trx, troubles)
  const taken = await takeCauses(trx, troubles, MAX_TOLD_AT_ONCE)
  const notices = taken.flatMap((cause): NewNotice[] => {
    const trouble = wrong.get(keyOf(cause))
    if (trouble === undefined) return []
    const { kind, subject, userId, details } = trouble
    return [{ id: newId(), kind, subject, userId, details }]
  })

  // What was opened after the look began is among the troubles, unless another process saw it: that one ends it too.
  const gone = (await listOpenCauses(trx, kinds)).filter((cause) => !wrong.has(keyOf(cause)))
  const ended: OpenCause[] = []
  for (const cause of gone) {
    const end = cause.isTold ? endOf(cause) : ({ kind: 'over' } as const)
    if (end.kind === 'unclear') continue
    if (end.kind === 'recovered') {
      // Who was told that it works an hour ago or less is told so again when the hour is over.
      if (!(await takeMoment(trx, end.as, cause.subject))) continue
      notices.push({
        id: newId(),
        kind: end.as,
        subject: cause.subject,
        userId: end.userId,
        details: end.details,
      })
    }
    ended.push(cause)
  }
  if (ended.length > 0) await endCauses(trx, ended)
  if (notices.length > 0) {
    const ids = notices.map(({ id }) => id)
    await insertNotices(trx, notices)
    if (config.smtp !== undefined) await insertMails(trx, ids)
    if (config.operationalWebhook !== undefined) await insertWebhookCalls(trx, ids)
  }
  return notices
}

function keyOf({ kind, subject }: { kind: string; subject: string }): string {
  return `${kind} ${subject}`
}
