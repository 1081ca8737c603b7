/** What a carrier is asked to send. */
export interface OutboundMessage {
  /** Our id; a carrier that can take a reference gets it, so that its reports find the message. */
  id: string
  /** E.164, both. */
  fromNumber: string
  toNumber: string
  text: string | null
  mediaUrl: string | null
  /** 1 for the first try. */
  attempt: number
  ageMs: number
}

/**
 * The one interface to every carrier. `send` either resolves, which means that the carrier took the message, or
 * throws one of the four errors below. Anything else that it throws counts as CarrierOutcomeUnknown, the careful
 * reading: a message is never sent twice by itself.
 */
export interface Carrier {
  readonly name: string
  send(message: OutboundMessage, signal: AbortSignal): Promise<{ carrierMessageId: string }>
}

/** Final: the carrier says that it will not send this message. `reason` is kept with the message and shown. */
export class CarrierRejected extends Error {
  override name = 'CarrierRejected'

  constructor(readonly reason: string) {
    super(`The carrier rejected the message: ${reason}`)
  }
}

/** The carrier asks to wait. Not an attempt. */
export class CarrierThrottled extends Error {
  override name = 'CarrierThrottled'

  constructor(readonly retryInMs: number) {
    super('The carrier asks to wait')
  }
}

/** Certainly not taken: no connection, no name, no TLS. Tried again with backoff. */
export class CarrierUnavailable extends Error {
  override name = 'CarrierUnavailable'
}

/** Perhaps taken: a time-out or a reset after the request left. Never sent again by itself. */
export class CarrierOutcomeUnknown extends Error {
  override name = 'CarrierOutcomeUnknown'
}
