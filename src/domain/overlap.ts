import { UserError } from '../errors.js'
import { inUtc } from '../kit/text/moments.js'

/** A day is enough to update all callers. The replaced secret may have leaked, so it must not live on for long. */
export const MAX_OVERLAP_SECONDS = 86_400

/**
 * Checks how long the replaced secret is to work beside its successor. Only one old secret is kept, so a second overlap
 * would end the first one early. A request that is repeated because its response was lost would do just that.
 *
 * @param what the secret, for the sentence
 * @param until when the overlap that runs now ends; null if none does
 * @throws UserError 400 for the seconds, 409 if an overlap runs and is not to be ended
 */
export function checkOverlap(overlapSeconds: number, what: 'secret' | 'token', until: Date | null): void {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS) {
    throw new UserError(`overlapSeconds must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}`)
  }
  if (overlapSeconds === 0 || until === null) return
  throw new UserError(
    `overlapSeconds: the previous ${what} still works until ${inUtc(until)}, and another change would end it now. If the ` +
      `last change was yours, use the current ${what}. Otherwise wait until then, or end both immediately (0)`,
    409,
  )
}
