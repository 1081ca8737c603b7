import type { MediaPurpose } from '../../database/media/reading.js'
import type { MediaReason } from '../../states.js'
import { backoffMs, type Backoff } from '../backoff.js'
import { nextRetryMs } from '../endpoints/deliveries/retry-schedule.js'
import { mayPass } from './failures.js'

/** The waits are about 2, 6 and 18 s: short, because the sender waits for the message. */
const OUTBOUND: Backoff = { baseMs: 2000, factor: 3, capMs: 60_000, jitter: 0.2 }
const OUTBOUND_ATTEMPTS = 4

/**
 * Carriers give us the link to received media before the file exists, and return 404 until then. The waits are about 5,
 * 10, 20, 40, 80 and 160 s and twice 5 minutes: a quarter of an hour is longer than any carrier needs to copy a file
 * between its own machines, and after that a link is wrong, or its file is gone.
 */
const UNPUBLISHED: Backoff = { baseMs: 5000, factor: 2, capMs: 5 * 60_000, jitter: 0.2 }
/** These are fewer than for other failures, so that another failure that comes later still has attempts left. */
const UNPUBLISHED_ATTEMPTS = 9

/**
 * Returns the wait after the nth attempt (from 1) of a round failed this way; undefined if it was the last.
 *
 * Received media have the schedule of deliveries: a carrier may be down for hours, and they are not sent again. 403 has
 * it too, although some stores return it for a file that does not exist yet: its first waits are as short, and an
 * operator may fix the account's credentials later.
 *
 * @param baseMs the base of the schedule of deliveries
 * @param random from [0, 1)
 */
export function nextMediaRetryMs(
  failure: MediaReason,
  purpose: MediaPurpose,
  attempt: number,
  baseMs: number,
  random: number,
): number | undefined {
  if (!mayPass(failure, purpose)) return undefined
  if (purpose === 'outbound') return step(attempt, OUTBOUND_ATTEMPTS, OUTBOUND, random)
  if (failure === 'media_http_404') return step(attempt, UNPUBLISHED_ATTEMPTS, UNPUBLISHED, random)
  return nextRetryMs(attempt, baseMs, undefined, random)
}

function step(attempt: number, attempts: number, backoff: Backoff, random: number): number | undefined {
  return attempt < attempts ? backoffMs(attempt, backoff, random) : undefined
}
