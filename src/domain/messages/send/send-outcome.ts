import { MESSAGE_STEPS, type Step } from '../../../states.js'
import { messageOutcomes, messageWait } from '../../../telemetry/metrics.js'

/** What a worker's look at a message came to. */
export type SendOutcome =
  | { kind: 'sent' }
  | { kind: 'failed'; error: string }
  /** It may have been sent, so it is never sent again by itself. */
  | { kind: 'unknown'; error: string }
  /** It has to wait. No attempt was used up. */
  | {
      kind: 'wait'
      ms: number
      reason: 'window' | 'paused' | 'early' | 'too_late' | 'throttled' | 'unavailable' | 'next_route'
    }
  /** An earlier message to the same number comes first and will bring this one. */
  | { kind: 'behind' }
  /** Its media are being copied; the end of that brings it. */
  | { kind: 'without_media' }
  /** Sending is paused, of its line, of its account or altogether; the end of that brings it (`resume.ts`). */
  | { kind: 'stopped' }
  /** It waits in the lane of its account, for the process that holds the account's sessions. */
  | { kind: 'elsewhere' }
  /** Somebody else has it, or it is over. */
  | { kind: 'skipped' }

const STEPS: readonly Step[] = MESSAGE_STEPS
const OWN_REASONS: ReadonlySet<string> = new Set(STEPS.flatMap(({ reasons = [] }) => reasons))

/** Counts what a worker's look at a message came to, where that is an end or a wait. */
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

/** A carrier says what it likes, so its words are no label. */
function reasonLabel(error: string): string {
  if (OWN_REASONS.has(error)) return error
  return error.startsWith('media_') ? 'media' : 'carrier'
}
