import { UserError } from '../errors.js'

/** A form that is sent twice arrives twice within this time. */
const SENT_TWICE_MS = 60_000

interface Moments {
  /** The moment that the sender's page had; undefined if there is no page. */
  seen: Date | null | undefined
  /** The current moment, which changes whenever this is done. */
  last: Date | null
}

/**
 * True if a form is to do nothing, because what it does was done just now: it was sent twice, and the second time would
 * undo the first.
 *
 * @throws UserError 409 with this sentence if it was done longer ago, so that the page is simply old
 */
export function isSentTwice({ seen, last }: Moments, sentence: string): boolean {
  if (seen === undefined || seen?.getTime() === last?.getTime()) return false
  if (last === null || Date.now() - last.getTime() > SENT_TWICE_MS) throw new UserError(sentence, 409)
  return true
}
