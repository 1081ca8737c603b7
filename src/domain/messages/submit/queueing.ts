import { setImmediate as nextTurn } from 'node:timers/promises'
import { queueMessages, type QueueAnswer, type QueueRequest } from '../../../database/messages/queueing.js'
import { Unavailable } from '../../../errors.js'
import { addSpan, ROOT } from '../../../telemetry/traces.js'
import type { Context } from '../../context.js'
import { countAnswers } from '../request-counts.js'
import { createLineBacklogs } from './line-backlogs.js'

/**
 * Writes the messages of one turn of the event loop, from any sender, and then enqueues a job for each. Enqueuing is
 * not awaited: the rows are committed, and the answer does not need Redis.
 */
export function createQueueing({
  db,
  queues,
  sendingQueue,
  config,
}: Pick<Context, 'db' | 'queues' | 'sendingQueue' | 'config'>) {
  const lineBacklogs = createLineBacklogs(config.maxQueuedPerLine)
  const queue = async (requests: readonly QueueRequest[]): Promise<(QueueAnswer | Error)[]> => {
    const startedAt = new Date()
    const asked = requests.map((each) => ({ ...each, isLineRoomy: lineBacklogs.isRoomy(each.lineId) }))
    const answers = await queueMessages(db, asked, config.maxQueuedPerLine)
    lineBacklogs.note(requests, answers)
    countAnswers(requests, answers)
    const accepted = requests.filter((_, n) => isAccepted(answers[n]))
    void sendingQueue.enqueue(
      // The clock of this process may differ: the row decides, and the sweep enqueues rows without a job.
      accepted.flatMap(({ messageId, lineId, media = [], sendAt }) =>
        media.length > 0 || (sendAt !== undefined && sendAt > startedAt)
          ? []
          : [{ ...firstJob(messageId), lineId }],
      ),
    )
    traceAccepted(accepted, startedAt)
    // The message itself gets its job once its media are copied.
    void queues.enqueueMedia(accepted.flatMap(({ media = [] }) => media.map(({ id }) => firstJob(id))))
    return answers
  }

  return async (requests: readonly QueueRequest[]): Promise<(QueueAnswer | Error)[]> => {
    // The event loop has to poll its sockets once more to see whether a caller has disconnected. On a busy machine a
    // request may wait to be read for longer than its caller does (measured: 893 of 1,652 were accepted although
    // their caller was gone).
    await nextTurn()
    const wanted = requests.filter(({ hasDisconnected }) => hasDisconnected?.() !== true)
    if (wanted.length === requests.length) return queue(requests)
    const answers = wanted.length === 0 ? [] : await queue(wanted)
    const byRequest = new Map(wanted.map((request, n) => [request, answers[n]]))
    return requests.map((request) => byRequest.get(request) ?? new Unavailable('The caller has disconnected'))
  }
}

function traceAccepted(accepted: readonly QueueRequest[], startedAt: Date): void {
  const durationMs = Date.now() - startedAt.getTime()
  for (const { messageId, lineId, source } of accepted) {
    const attributes = {
      'linehook.message.id': messageId,
      'linehook.line.id': lineId,
      'linehook.source': source,
    }
    addSpan({
      of: messageId,
      key: ROOT,
      name: 'accept message',
      kind: 'server',
      startedAt,
      durationMs,
      attributes,
    })
  }
}

function isAccepted(answer: QueueAnswer | Error | undefined): boolean {
  return answer !== undefined && !(answer instanceof Error) && answer.outcome === 'accepted'
}

function firstJob(id: string): { id: string; generation: number } {
  return { id, generation: 0 }
}
