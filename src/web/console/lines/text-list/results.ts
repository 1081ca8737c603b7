import type { Middleware } from 'koa'
import type { TextResult } from '../../../../database/messages/text-lists.js'
import type { Context } from '../../../../domain/context.js'
import { readTextResults } from '../../../../domain/messages/text-list/task.js'
import { answerDownload, csvOf, mapped, requireRoomForDownload } from '../../../downloads.js'
import { idOf } from '../../form-values.js'
import { sessionOf } from '../../people/session.js'

/** Exports the results of each row of the file so far. */
export function exportTextResults(context: Context): Middleware {
  return async (ctx) => {
    const results = await readTextResults(context, sessionOf(ctx).userId, idOf(ctx, 'taskId'))
    requireRoomForDownload(ctx)
    answerDownload(context, ctx, {
      name: 'list-results',
      ending: 'csv',
      source: csvOf(mapped(results, rowOf)),
    })
  }
}

function rowOf(result: TextResult): Record<string, unknown> {
  const { line, toNumber, messageId, error, reason } = result
  return { row: line, number: toNumber, messageId, status: statusOf(result), reason: reason ?? error }
}

function statusOf({ status, reason, isWaiting, messageId }: TextResult): string {
  if (status !== null) return status
  if (isWaiting) return 'waiting'
  if (reason !== null || messageId === null) return 'not sent'
  return 'deleted'
}
