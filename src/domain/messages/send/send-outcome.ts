import { MESSAGE_STEPS, type MessageReason, type Step } from '../../../states.js'
import { messageOutcomes, messageWait } from '../../../telemetry/metrics.js'
import type { Context } from '../../context.js'

/**
 * The outcome of a worker's turn with a message. First the claim is answered (`ClaimAnswer`, the `verdict` of
 * `claim_messages`): claimed, or why not. A claimed message is handed over once, and the carrier's answer becomes a
 * `Settlement`, which is what the row then says. Only `workers/` translates the outcome for BullMQ.
 */
export type SendOutcome =
  | { kind: 'sent' }
  | { kind: 'failed'; error: string }
  /** It may have been sent, so it is never sent again automatically. */
  | { kind: 'unknown'; error: string }
  /** It has to wait. No attempt was used up. */
  | {
      kind: 'wait'
      ms: number
      reason: 'window' | 'paused' | 'early' | 'too_late' | 'throttled' | 'unavailable' | 'next_route'
    }
  /** An earlier message to the same number comes first and will enqueue this one. */
  | { kind: 'behind' }
  /** Its media are being copied, which enqueues it when done. */
  | { kind: 'without_media' }
  /** Sending is paused for its line, for its account or altogether; resuming enqueues it (`resume.ts`). */
  | { kind: 'stopped' }
  /** It waits in the lane of its account, for the process that holds the account's sessions. */
  | { kind: 'elsewhere' }
  /** Another worker has it, or it is over. */
  | { kind: 'skipped' }

const STEPS: readonly Step[] = MESSAGE_STEPS
const OWN_REASONS: ReadonlySet<string> = new Set(STEPS.flatMap(({ reasons = [] }) => reasons))

/** Counts the outcome of a worker's turn with a message, if that is an end or a wait. */
export function countOutcome(outcome: SendOutcome): void {
  switch (outcome.kind) {
    case 'sent':
      messageOutcomes.inc({ outcome: 'sent', reason: 'none' })
      return
    case 'failed':
    case 'unknown':
      messageOutcomes.inc({ outcome: outcome.kind, reason: reasonLabel(outcome.error) })
      return
    case 'wait':
      messageWait.observe({ reason: outcome.reason }, outcome.ms / 1000)
      return
    case 'behind':
    case 'without_media':
    case 'stopped':
    case 'elsewhere':
    case 'skipped':
      return
  }
}

/** Counts and logs messages that failed without a worker's turn. */
export function tellFailed(
  { log }: Pick<Context, 'log'>,
  ids: readonly string[],
  error: MessageReason,
): void {
  for (const messageId of ids) {
    countOutcome({ kind: 'failed', error })
    log.info({ messageId, error }, 'message.failed')
  }
}

/** A carrier's words are free text, so they cannot be a label. */
function reasonLabel(error: string): string {
  if (OWN_REASONS.has(error)) return error
  return error.startsWith('media_') ? 'media' : 'carrier'
}
