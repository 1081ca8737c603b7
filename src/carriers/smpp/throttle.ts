import { CarrierThrottled } from '../carrier.js'

/**
 * A number that was off for hours gets its texts soon after it is back; until then, one text is tried twelve times an
 * hour.
 */
const FULL_CAP_MS = 300_000
const FULL_BASE_MS = 1000
const PAUSE_CAP_MS = 30_000
/** Bounds the memory. */
const MAX_FULL = 10_000

/** How an account waits after an SMSC has said that it is getting too much. */
export interface Throttle {
  /** @throws CarrierThrottled while no text may begin */
  check(): void
  isPaused(): boolean
  /** Notes a refusal for the whole account. @returns the wait */
  pause(): number
  /** Notes that the SMSC holds too many texts to a number. @returns the wait, doubled each time */
  noteFull(number: string): number
  noteTaken(number: string): void
}

/**
 * SMSCs count the messages of an account per second (ESME_RTHROTTLED). After a refusal, no text begins for a while, and
 * any room goes to later parts of texts that have begun. The pause doubles until something is taken after it.
 *
 * @param firstMs the length of the first pause
 */
export function createThrottle(firstMs: number): Throttle {
  const fullCounts = new Map<string, number>()
  let endsAt = -Infinity
  let pauseCount = 0
  const leftMs = () => Math.max(0, endsAt - performance.now())
  // They must not all come back together.
  const waitMs = () => Math.ceil(leftMs() + Math.random() * firstMs)

  return {
    check: () => {
      if (leftMs() > 0) throw new CarrierThrottled(waitMs())
    },
    isPaused: () => leftMs() > 0,
    pause: () => {
      // Texts that were under way together are refused together, and count once.
      if (leftMs() === 0) {
        endsAt = performance.now() + Math.min(firstMs * 2 ** pauseCount, PAUSE_CAP_MS)
        pauseCount += 1
      }
      return waitMs()
    },
    noteFull: (number) => {
      const count = fullCounts.get(number) ?? 0
      fullCounts.delete(number)
      fullCounts.set(number, count + 1)
      const [oldest] = fullCounts.keys()
      if (oldest !== undefined && fullCounts.size > MAX_FULL) fullCounts.delete(oldest)
      return Math.min(FULL_BASE_MS * 2 ** count, FULL_CAP_MS)
    },
    noteTaken: (number) => {
      fullCounts.delete(number)
      if (leftMs() === 0) pauseCount = 0
    },
  }
}
