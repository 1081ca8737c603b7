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
  /** The ids of the parts that become events of their own. */
  ids: readonly string[]
  /**
   * Asks the carrier for what its list does not say.
   *
   * @returns undefined: it is not of these numbers, or not there any more
   * @throws CarrierRefused
   */
  read(signal: AbortSignal): Promise<ReceivedParts | undefined>
}

export interface ReceivedParts {
  fromNumber: string
  toNumber: string
  parts: readonly ReceivedPart[]
}

export interface ReceivedPart {
  id: string
  content: ReceivedContent
}

export type ReceivedContent =
  | { type: 'inboundText'; text: string }
  /** The URL at which the carrier has it. */
  | { type: 'inboundMedia' | 'voiceMail'; url: string }

/** A text keeps its message's id; its media, or those of a message without a text, are id/1, id/2, … */
export function partsOf(id: string, text: string, mediaUrls: readonly string[]): ReceivedPart[] {
  return [
    // Somebody who sent nothing but blanks is heard too.
    ...(text !== '' || mediaUrls.length === 0
      ? [{ id, content: { type: 'inboundText' as const, text } }]
      : []),
    ...mediaUrls.map((url, index) => ({
      id: `${id}/${index + 1}`,
      content: { type: 'inboundMedia' as const, url },
    })),
  ]
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
