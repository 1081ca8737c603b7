import type { CarrierReason } from '../carrier-reasons.js'
import type { CarrierWords } from '../states.js'
import type { Charge, ListedCharge, PhoneState, ReceivedRecord, SentRecord } from './records.js'

/** The URL of our copy, which anyone who has it can fetch. */
export interface MediaToSend {
  url: string
  /** Such as `image/png`. */
  contentType: string
  byteCount: number
}

/** At most `limit` in any span of `lengthMs`. */
export interface Pace {
  limit: number
  lengthMs: number
}

/** A message for a carrier to send. */
export interface OutboundMessage {
  /** Our id; a carrier that accepts a reference gets it, so that its reports find the message. */
  id: string
  /** Both are E.164. */
  fromNumber: string
  toNumber: string
  text: string | null
  /** In order. */
  media: readonly MediaToSend[]
  /** 1 for the first try. */
  attempt: number
  ageMs: number
  /** The time after which the sender no longer wants it sent; undefined if they set none. */
  expiresInMs?: number
  /** What the account takes, for a client that sends a text in parts; undefined if it has no limit. */
  pace?: Pace
  /** Other options of the sender for the carrier, under names that the account knows. */
  options?: Readonly<Record<string, string>>
}

export interface Taken {
  carrierMessageId: string
  /** If it takes the parts of a text one by one: its ids for all parts but the last, whose id is `carrierMessageId`. */
  carrierPartIds?: string[]
  charge?: Charge
}

/**
 * The one interface to every carrier account. `send` either resolves, which means that the carrier took the message,
 * or throws one of the four errors below. Anything else that it throws counts as CarrierOutcomeUnknown, so that no
 * message is ever automatically sent twice.
 */
export interface CarrierClient {
  /** The account's name. */
  readonly name: string
  send(message: OutboundMessage, signal: AbortSignal): Promise<Taken>
  /**
   * Counts the parts that it sends of a text, one after another. Each counts for the account's pace and may take the time
   * of a message. If left out, a text is sent whole.
   */
  countParts?(text: string): number
  /**
   * Tests the account without sending anything.
   *
   * @returns the fault in words, or undefined if it works
   */
  test(signal: AbortSignal): Promise<string | undefined>
  /**
   * Lists the numbers of the account.
   *
   * @throws CarrierRefused
   */
  listNumbers?(signal: AbortSignal): Promise<CarrierNumber[]>
  /**
   * Tells the carrier to call us about what these numbers receive.
   *
   * @throws CarrierRefused
   */
  setUpNumbers?(numbers: readonly CarrierNumber[], signal: AbortSignal): Promise<void>
  /**
   * Searches the carrier's records for a message whose outcome is unknown, and returns all that might be it, oldest
   * first.
   *
   * @throws CarrierRefused
   */
  findSent?(message: UnknownMessage, signal: AbortSignal): Promise<SentRecord[]>
  /**
   * Lists what these numbers have received since then, as far as the carrier still has it, in batches, each oldest
   * first. It may return more than that. Ids must match those of the callbacks, so that nothing is received twice.
   *
   * @throws CarrierRefused
   */
  listReceived?(
    numbers: readonly string[],
    since: Date,
    signal: AbortSignal,
  ): AsyncIterable<readonly ReceivedRecord[]>
  /**
   * Lists the costs of the messages that the account has sent since then, in batches, for a carrier that does not
   * include them in responses or reports. It may return more than that.
   *
   * @throws CarrierRefused
   */
  listCharges?(since: Date, signal: AbortSignal): AsyncIterable<readonly ListedCharge[]>
  /**
   * Lists the phones of an account that sends through phones, if they have ever made contact.
   *
   * @throws CarrierRefused
   */
  listPhones?(signal: AbortSignal): Promise<PhoneState[]>
  /** Returns the headers for fetching media that the carrier hosts; none for a URL of another host. */
  mediaHeaders?(url: URL): Record<string, string>
  /** Closes connections once nothing is under way. */
  close(): Promise<void>
}

export interface CarrierNumber {
  /** The carrier's id for it. */
  id: string
  /** An E.164 number. */
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
 * If a carrier asks for a longer wait, we ask again after this. One wrong header must not delay messages until they
 * expire (four hours by default), but a much shorter limit would ignore a carrier that means an hour.
 */
export const MAX_THROTTLE_MS = 3_600_000

/** Final: the carrier says that it will not send this message. `reason` is stored with the message and shown. */
export class CarrierRejected extends Error {
  override name = 'CarrierRejected'

  readonly reason: CarrierWords

  constructor(
    reason: string,
    /** The carrier's code, such as Twilio's `21211`. */
    readonly carrierCode?: string,
    /** True if the carrier says that the recipient has opted out of the line's number, which is then recorded. */
    readonly isOptedOut = false,
    /** True if the reason is the account, such as its credit, so that another account might take the message. */
    readonly isOfAccount = false,
    /**
     * What the code means according to the account's settings; if they do not say, the carrier's table does
     * (`codes.ts`).
     */
    readonly carrierReason?: CarrierReason,
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

/**
 * The carrier has certainly not taken it: the name did not resolve, or the connection or TLS failed. It is retried with
 * backoff.
 */
export class CarrierUnavailable extends Error {
  override name = 'CarrierUnavailable'
  /** True if the account works, just not for this line, so other lines need not avoid it. */
  readonly isOfLine: boolean

  constructor(message: string, { isOfLine = false, ...options }: ErrorOptions & { isOfLine?: boolean } = {}) {
    super(message, options)
    this.isOfLine = isOfLine
  }
}

/**
 * The carrier may have taken it: a time-out or a reset after the request left. It is never sent again automatically.
 */
export class CarrierOutcomeUnknown extends Error {
  override name = 'CarrierOutcomeUnknown'
  /** The carrier's ids of the parts that it has taken for certain. */
  readonly carrierPartIds: readonly string[]

  constructor(
    message: string,
    { carrierPartIds = [], ...options }: ErrorOptions & { carrierPartIds?: readonly string[] } = {},
  ) {
    super(message, options)
    this.carrierPartIds = carrierPartIds
  }
}

/** The carrier refused a request other than sending. The error's message says what is wrong. */
export class CarrierRefused extends Error {
  override name = 'CarrierRefused'
}
