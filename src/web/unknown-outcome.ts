import { DatabaseUnavailable, mayBeDone } from '../database/outage.js'
import { OutcomeUnknown } from '../errors.js'

/**
 * Explains the error of a change to its client. If the change may be done, no `Retry-After` asks the client to repeat
 * it.
 *
 * @param hasBegun true if an earlier statement of the change is done, so that a repeat would not be the same
 * @returns an OutcomeUnknown, or the error itself if nothing was done
 */
export function doubted(
  error: unknown,
  hasBegun = false,
  sentence = 'It is unknown whether the change was made. Check before you repeat the request',
): unknown {
  const isInDoubt = error instanceof DatabaseUnavailable && (hasBegun || mayBeDone(error))
  return isInDoubt ? new OutcomeUnknown(error, sentence) : error
}
