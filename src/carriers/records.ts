import type { CarrierReason } from '../carrier-reasons.js'

/** The cost of a message according to the carrier. Parts that it does not report are left out. */
export interface Charge {
  /** Exact, in whole units of the currency, such as `0.0079`; never below zero. It comes with a `currency`. */
  price?: string
  /** An ISO 4217 code. */
  currency?: string
  segmentCount?: number
}

export interface SentRecord {
  carrierMessageId: string
  status: 'sent' | 'delivered' | 'failed'
  error?: string
  carrierCode?: string
  /**
   * What the code means according to the account's settings; if they do not say, the carrier's table does (`codes.ts`).
   */
  carrierReason?: CarrierReason
  /** True if it failed because the carrier says that the recipient has opted out of the line's number. */
  isOptedOut?: boolean
  charge?: Charge
}

/** A sent message in a carrier's list. */
export interface ListedCharge {
  carrierMessageId: string
  charge: Charge | undefined
  /** The time when the carrier got it. */
  sentAt: Date
  /** True if it has a price by now, or never will. */
  isFinal: boolean
}

/** A message or a recording that the carrier got for one of our numbers. */
export interface ReceivedRecord {
  receivedAt: Date
  id: string
  /**
   * Asks the carrier for the details that its list leaves out.
   *
   * @returns undefined if it is not for these numbers, or no longer exists
   * @throws CarrierRefused
   */
  read(signal: AbortSignal): Promise<Received | undefined>
}

export interface Received {
  fromNumber: string
  toNumber: string
  content: ReceivedContent
}

/** URLs are those at which the carrier has it. */
export type ReceivedContent =
  | { type: 'inboundText'; text: string }
  /** In order. */
  | { type: 'inboundMedia'; text?: string; urls: readonly string[] }
  | { type: 'voiceMail'; url: string }

/** The most media that any carrier allows in a message. Each costs a copy. */
const MAX_RECEIVED_MEDIA = 10

/** A message of only blanks counts too. */
export function contentOf(text: string, urls: readonly string[]): ReceivedContent {
  return urls.length === 0
    ? { type: 'inboundText', text }
    : { type: 'inboundMedia', text, urls: urls.slice(0, MAX_RECEIVED_MEDIA) }
}

/** The state of a phone that an account sends through. Unknown parts are left out. */
export interface PhoneState {
  /** The carrier's id for it. */
  id: string
  /** The time of its last contact. */
  contactAt: Date
  /** The phone makes contact more often than this by itself: after such a silence it counts as away. */
  awayAfterMs: number
  batteryPercent?: number
  isCharging?: boolean
}
