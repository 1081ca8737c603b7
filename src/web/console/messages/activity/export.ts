import type { Middleware } from 'koa'
import { explainCarrierCode } from '../../../../carriers/codes.js'
import type { Delivery } from '../../../../database/endpoints/deliveries/delivery.js'
import type { Message } from '../../../../database/messages/message.js'
import { readActivity, type Activity, type ActivityFilter } from '../../../../domain/messages/activity.js'
import { record } from '../../../../domain/operating/audit.js'
import type { Context } from '../../../../domain/context.js'
import { listOwnLines } from '../../../../domain/lines/lines.js'
import { actingFor } from '../../../actor.js'
import { answerDownload, csvOf, requireRoomForDownload } from '../../../downloads.js'
import { sessionOf } from '../../people/session.js'
import { readFilter } from './filter.js'

/** Exports the messages and deliveries that match the page's filter, newest first, however many there are. */
export function exportActivity(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const { filter } = await readFilter(ctx, context)
    requireRoomForDownload(ctx)
    const lines = await listOwnLines(context, userId)
    const numbers = new Map(lines.map(({ id, number }) => [id, number]))
    await record(actingFor(ctx, context), context.db, {
      action: 'user.activity.exported',
      subjectId: userId,
      userId,
      after: askedIn(filter),
    })
    const rows = rowsOf(readActivity(context, userId, filter), numbers)
    answerDownload(context, ctx, { name: 'activity', ending: 'csv', source: csvOf(rows) })
  }
}

/** Describes the filter for the audit log: that there was a number or a text, but not which. */
function askedIn(filter: ActivityFilter): Record<string, string | boolean> {
  const { number, numberPart, text, from, until, ...words } = filter
  const given = { ...words, from: from?.toISOString(), until: until?.toISOString() }
  return {
    ...Object.fromEntries(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...((number ?? numberPart) === undefined ? {} : { isOfOneNumber: true }),
    ...(text === undefined ? {} : { isOfOneText: true }),
  }
}

/** Yields a row for each message, followed by one for each of its deliveries. */
async function* rowsOf(
  activities: AsyncIterable<Activity>,
  numbers: ReadonlyMap<string, string>,
): AsyncGenerator<Record<string, unknown>> {
  for await (const { message, deliveries } of activities) {
    if (message !== undefined) yield rowOf(message, message, undefined, numbers)
    for (const delivery of deliveries) yield rowOf(delivery, undefined, delivery, numbers)
  }
}

/** Every row has all columns, and those of the other kind are empty. */
function rowOf(
  { id, lineId, createdAt, type, status, fromNumber, toNumber, attemptCount }: Message | Delivery,
  message: Message | undefined,
  delivery: Delivery | undefined,
  numbers: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const meaning =
    message && explainCarrierCode(message.carrierKind, message.carrierCode, message.carrierReason)
  return {
    id,
    at: createdAt.toISOString(),
    kind: message === undefined ? 'delivery' : 'message',
    lineId,
    lineNumber: numbers.get(lineId ?? ''),
    direction: message?.direction,
    type,
    status,
    fromNumber,
    toNumber,
    text: message?.text,
    mediaUrl: message?.mediaUrls.join(' '),
    error: message?.error ?? delivery?.lastFailure,
    carrierCode: message?.carrierCode,
    carrierReason: meaning?.reason,
    carrierCodeMeaning: meaning?.text,
    attemptCount,
    sentAt: message?.sentAt?.toISOString(),
    receiptAt: message?.receiptAt?.toISOString(),
    messageId: delivery?.messageId,
    application: delivery?.applicationName,
    url: delivery?.url,
    deliveredAt: delivery?.deliveredAt?.toISOString(),
  }
}
