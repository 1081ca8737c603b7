import type { CarrierWords } from '../states.js'
import type { Charge, ListedCharge, PhoneState, ReceivedRecord, SentRecord } from './records.js'

/** Our own copy, which anybody who has the URL can fetch. */
export interface MediaToSend {
  url: string
  /** Such as `image/png`. */
  contentType: string
  byteCount: number
}

/** What a carrier is asked to send. */
export interface OutboundMessage {
  /** Our id; a carrier that can take a reference gets it, so that its reports find the message. */
  id: string
  /** E.164, both. */
  fromNumber: string
  toNumber: string
  text: string | null
  /** In order. */
  media: readonly MediaToSend[]
  /** 1 for the first try. */
  attempt: number
  ageMs: number
  /** After so long it is no longer wanted; left out: its sender did not say. */
  expiresInMs?: number
  /** What its sender says to the carrier besides, by names that the account knows. */
  options?: Readonly<Record<string, string>>
}

/** The carrier took it. */
export interface Taken {
  /** The carrier's own id of it. */
  carrierMessageId: string
  charge?: Charge
}

/**
 * The one interface to every carrier account. `send` either resolves, which means that the carrier took the message, or
 * throws one of the four errors below. Anything else that it throws counts as CarrierOutcomeUnknown, so that no message
 * is ever sent twice by itself.
 */
export interface CarrierClient {
  /** The account's. */
  readonly name: string
  send(message: OutboundMessage, signal: AbortSignal): Promise<Taken>
  /** Tries the account without sending anything. @returns what is wrong, in words; undefined: it works */
  test(signal: AbortSignal): Promise<string | undefined>
  /** The numbers that the account has. @throws CarrierRefused */
  listNumbers?(signal: AbortSignal): Promise<CarrierNumber[]>
  /** Tells the carrier to call us for what these numbers receive. @throws CarrierRefused */
  setUpNumbers?(numbers: readonly CarrierNumber[], signal: AbortSignal): Promise<void>
  /**
   * What the carrier has of a message whose outcome is unknown: everything that it might be, oldest first.
   *
   * @throws CarrierRefused
   */
  findSent?(message: UnknownMessage, signal: AbortSignal): Promise<SentRecord[]>
  /**
   * What these numbers have received since then, as far as the carrier still has it, in batches, each oldest first. It may
   * give more than that. Ids must be those of the callbacks, so that nothing comes in twice.
   *
   * @throws CarrierRefused
   */
  listReceived?(
    numbers: readonly string[],
    since: Date,
    signal: AbortSignal,
  ): AsyncIterable<readonly ReceivedRecord[]>
  /**
   * What the messages cost that the account has sent since then, in batches, for a carrier that says so in no answer and no
   * report. It may give more than that.
   *
   * @throws CarrierRefused
   */
  listCharges?(since: Date, signal: AbortSignal): AsyncIterable<readonly ListedCharge[]>
  /** The phones that it sends by, for an account of phones: those that were ever heard of. @throws CarrierRefused */
  listPhones?(signal: AbortSignal): Promise<PhoneState[]>
  /** The headers that let us fetch media which the carrier hosts; none for a URL of another host. */
  mediaHeaders?(url: URL): Record<string, string>
  /** Closes connections when nothing is under way any more. */
  close(): Promise<void>
}

export interface CarrierNumber {
  /** The carrier's own id of it. */
  id: string
  /** E.164 */
  number: string
  name: string
}

export interface UnknownMessage {
  fromNumber: string
  toNumber: string
  text: string | null
  /** When we began to hand it over. */
  claimedAt: Date
}

/**
 * A carrier that asks for a longer wait is asked again after this. One wrong header must not keep messages until they expire
 * (four hours by default). A much shorter wait would not respect a carrier that means an hour.
 */
export const MAX_THROTTLE_MS = 3_600_000

/** Final: the carrier says that it will not send this message. `reason` is kept with the message and shown. */
export class CarrierRejected extends Error {
  override name = 'CarrierRejected'

  readonly reason: CarrierWords

  constructor(
    reason: string,
    /** The carrier's own, such as Twilio's `21211`. */
    readonly carrierCode?: string,
    /** The recipient has opted out of the line's number, as the carrier knows: that is noted. */
    readonly isOptedOut = false,
    /** It is about the account, such as its credit, so that another account might take the message. */
    readonly isOfAccount = false,
  ) {
    super(`The carrier rejected the message: ${reason}`)
    this.reason = reason as CarrierWords
  }
}

/** The carrier asked us to wait. This does not count as an attempt. */
export class CarrierThrottled extends Error {
  override name = 'CarrierThrottled'

  constructor(readonly retryInMs: number) {
    super('The carrier asked us to wait')
  }
}

/** The carrier has certainly not taken it: no name, no connection, no TLS. It is tried again with backoff. */
export class CarrierUnavailable extends Error {
  override name = 'CarrierUnavailable'
}

/** The carrier may have taken it: a time-out or a reset after the request left. It is never sent again by itself. */
export class CarrierOutcomeUnknown extends Error {
  override name = 'CarrierOutcomeUnknown'
}

/** The carrier did not do what it was asked, other than sending. The error's message says what is wrong. */
export class CarrierRefused extends Error {
  override name = 'CarrierRefused'
}
