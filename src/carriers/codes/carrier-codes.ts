import type { CarrierReason } from '../../carrier-reasons.js'

/** The known codes of one kind of carrier. */
export interface CarrierCodes {
  /** The page that explains them. */
  source: string
  /** The codes of each reason, separated by spaces; `4108-4136` is an inclusive range. */
  codes: Partial<Record<CarrierReason, string>>
}
