/** What a carrier says that a message costs. What it does not say is left out. */
export interface Charge {
  /** Exact, in whole units of the currency, such as `0.0079`; never below zero. With a `currency`. */
  price?: string
  /** ISO 4217. */
  currency?: string
  /** Into how many segments it was cut. */
  segmentCount?: number
}

export interface SentRecord {
  carrierMessageId: string
  status: 'sent' | 'delivered' | 'failed'
  error?: string
  carrierCode?: string
  /** It failed because the recipient has opted out of the line's number, as the carrier knows. */
  isOptedOut?: boolean
  charge?: Charge
}

/** What a carrier's list says of a message that was sent. */
export interface ListedCharge {
  carrierMessageId: string
  charge: Charge | undefined
  /** When the carrier got it. */
  sentAt: Date
  /** It has a price by now, or never will. */
  isFinal: boolean
}

/** A message or a recording that the carrier got for one of our numbers. */
export interface ReceivedRecord {
  receivedAt: Date
  id: string
  /**
   * Asks the carrier for what its list does not say.
   *
   * @returns undefined: it is not of these numbers, or not there any more
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

/** The most media that anybody allows in a message. Each costs a copy. */
const MAX_RECEIVED_MEDIA = 10

/** Somebody who sent nothing but blanks is heard too. */
export function contentOf(text: string, urls: readonly string[]): ReceivedContent {
  return urls.length === 0
    ? { type: 'inboundText', text }
    : { type: 'inboundMedia', text, urls: urls.slice(0, MAX_RECEIVED_MEDIA) }
}

/** How a phone is that an account sends by. What nobody says is left out. */
export interface PhoneState {
  /** The carrier's own id of it. */
  id: string
  /** When it was last heard of. */
  contactAt: Date
  /** It speaks by itself more often than this: who has not heard of it for so long cannot reach it. */
  awayAfterMs: number
  batteryPercent?: number
  isCharging?: boolean
}
