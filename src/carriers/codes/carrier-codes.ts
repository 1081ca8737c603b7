import type { CarrierReason } from '../../carrier-reasons.js'

/** What is known of the codes of one kind of carrier. */
export interface CarrierCodes {
  /** The page that says what they mean. */
  source: string
  /** The codes of each reason with spaces between; `4108-4136` are all from the first to the last. */
  codes: Partial<Record<CarrierReason, string>>
}
