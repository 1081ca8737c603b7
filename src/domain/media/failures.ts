import type { MediaPurpose } from '../../database/media/reading.js'
import type { MediaReason } from '../../states.js'

/**
 * Why media could not be copied, by its name, which goes to the row, the message or the deliveries, the log and the
 * console: `media_` and a failure of `safe-fetch`, `http_404` and the like, or one of
 * `too_large`, `type`, `truncated`, `redirect` (one too many, or to nowhere) and `gone` (our own, and deleted).
 */
export class CopyFailed extends Error {
  override name = 'CopyFailed'

  constructor(
    readonly failure: MediaReason,
    options?: ErrorOptions,
  ) {
    super(failure, options)
  }
}

/** Whether a delivery waits for a copy that could not be made, and not for its endpoint. */
export function isMediaFailure(name: string | null): name is MediaReason {
  return name?.startsWith('media_') === true
}

/** A server that is asked too early, too often or on a bad day. */
const PASSES = /^media_(dns|connect|timeout|reset|network|aborted|http_(408|429|5\d\d))$/

/** What no waiting mends, also at a carrier, whose fault or ours anything else may be: a wrong key, a bad certificate. */
const STAYS =
  /^media_(http_(404|410)|type|too_large|truncated|gone|invalid_url|blocked_address|redirect|internal_error)$/

/** Whether it is worth trying again. A person waits for what a line sends; what it received nobody sends again. */
export function mayPass(failure: MediaReason, purpose: MediaPurpose): boolean {
  return purpose === 'outbound' ? PASSES.test(failure) : !STAYS.test(failure)
}
