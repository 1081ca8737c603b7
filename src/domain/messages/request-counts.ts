import type { OutboundSource, QueueAnswer, QueueRequest } from '../../database/messages/queueing.js'
import { Unavailable, UserError } from '../../errors.js'
import { messageRequests } from '../../telemetry/metrics.js'

/** The metric's name of each refusal, by its text. */
export type RefusalNames = ReadonlyMap<string, string>

/**
 * Counts the answers of the statement that accepts messages. After `webhook_changed` the request is judged again, and
 * `refused` is counted by its reason.
 */
export function countAnswers(
  requests: readonly Pick<QueueRequest, 'source'>[],
  answers: readonly (QueueAnswer | Error)[],
): void {
  for (const [n, { source }] of requests.entries()) {
    const answer = answers[n]
    if (answer === undefined || answer instanceof Error) continue
    if (answer.outcome === 'webhook_changed' || answer.outcome === 'refused') continue
    messageRequests.inc({ source, outcome: answer.outcome })
  }
}

/** Counts a refusal that did not come from that statement, or that came instead of its answer. */
export function countRefusal(source: OutboundSource, error: unknown, names: RefusalNames): void {
  messageRequests.inc({ source, outcome: nameOf(error, names) })
}

function nameOf(error: unknown, names: RefusalNames): string {
  if (error instanceof Unavailable) return 'unavailable'
  if (!(error instanceof UserError)) return 'internal_error'
  return names.get(error.message) ?? 'other'
}

/** Makes names of texts: `{ tooLong: 'Text is too long' }` gives `too_long` for that text. */
export function namesOfRefusals(refusals: Readonly<Record<string, string>>): RefusalNames {
  return new Map(
    Object.entries(refusals).map(([name, text]) => [
      text,
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ]),
  )
}
