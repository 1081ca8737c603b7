import type { Middleware } from 'koa'
import { readActivity, type Activity, type ActivityFilter } from '../../../domain/activity.js'
import { record } from '../../../domain/audit.js'
import type { Context } from '../../../domain/context.js'
import { listOwnLines } from '../../../domain/lines.js'
import { actingFor } from '../../actor.js'
import { answerDownload, csvOf, mapped, requireRoomForDownload } from '../../downloads.js'
import { sessionOf } from '../session.js'
import { readFilter } from './filter.js'

/** Messages and deliveries that fit the page's filter, newest first, however many there are. */
export function exportActivity(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const { filter } = await readFilter(ctx, context)
    requireRoomForDownload()
    const lines = await listOwnLines(context, userId)
    const numbers = new Map(lines.map(({ id, number }) => [id, number]))
    await record(actingFor(ctx, context), context.db, {
      action: 'user.activity.exported',
      subjectId: userId,
      userId,
      after: askedIn(filter),
    })
    const rows = mapped(readActivity(context, userId, filter), (activity) => rowOf(activity, numbers))
    answerDownload(ctx, { name: 'activity', ending: 'csv', source: csvOf(rows) })
  }
}

/** What was asked for, as the audit log may have it: that there was a number, and not which. */
function askedIn({ number, from, until, ...words }: ActivityFilter): Record<string, string | boolean> {
  const given = { ...words, from: from?.toISOString(), until: until?.toISOString() }
  return {
    ...Object.fromEntries(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...(number === undefined ? {} : { isOfOneNumber: true }),
  }
}

/** Every row has all columns, and those of the other kind are empty. */
function rowOf(activity: Activity, numbers: ReadonlyMap<string, string>): Record<string, unknown> {
  const { kind } = activity
  const message = kind === 'message' ? activity.message : undefined
  const delivery = kind === 'delivery' ? activity.delivery : undefined
  const { id, lineId, createdAt, type, status, fromNumber, toNumber, attemptCount } =
    kind === 'message' ? activity.message : activity.delivery
  return {
    id,
    at: createdAt.toISOString(),
    kind,
    lineId,
    lineNumber: numbers.get(lineId),
    direction: message?.direction,
    type,
    status,
    fromNumber,
    toNumber,
    text: message?.text,
    mediaUrl: message?.mediaUrl,
    error: message?.error ?? delivery?.lastFailure,
    carrierCode: message?.carrierCode,
    attemptCount,
    sentAt: message?.sentAt?.toISOString(),
    receiptAt: message?.receiptAt?.toISOString(),
    messageId: delivery?.messageId,
    application: delivery?.applicationName,
    url: delivery?.url,
    deliveredAt: delivery?.deliveredAt?.toISOString(),
  }
}
