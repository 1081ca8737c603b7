import type { MediaPurpose } from '../../database/media/reading.js'
import type { MediaReason } from '../../states.js'

/**
 * Thrown if media could not be copied. The name goes to the row, the message or the deliveries, the log and the
 * console. It is `media_` and then a failure of `safe-fetch`, an HTTP status such as `http_404`, or one of
 * `too_large`, `type`, `truncated`, `redirect` (one too many, or to nowhere) and `gone` (a copy of ours that was
 * deleted).
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

/** True if a delivery is held because its media could not be copied, and not because of its endpoint. */
export function isMediaFailure(name: string | null): name is MediaReason {
  return name?.startsWith('media_') === true
}

/** These failures may pass: the server may answer later. */
const PASSES = /^media_(dns|connect|timeout|reset|network|aborted|http_(408|429|5\d\d))$/

/**
 * Waiting does not help with these failures, even at a carrier. Others are retried there, because they may be fixed: a
 * wrong key here, or a bad certificate there.
 */
const STAYS =
  /^media_(http_410|type|too_large|truncated|gone|invalid_url|blocked_address|redirect|internal_error)$/

/**
 * True if a retry makes sense. For media that a line sends, that is only if the failure may pass soon, because the
 * sender waits; for received media nearly always, because they will not be sent again.
 */
export function mayPass(failure: MediaReason, purpose: MediaPurpose): boolean {
  return purpose === 'outbound' ? PASSES.test(failure) : !STAYS.test(failure)
}
