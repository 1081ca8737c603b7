import type { AnyObject, ObjectSchema } from 'yup'
import type { SafeFetch } from '../safe-fetch.js'
import type { CarrierWords } from '../states.js'
import type { Logger } from '../telemetry/log.js'
import type { SimulatorOutbox } from './simulator-outbox.js'

/** What a carrier is asked to send. */
export interface OutboundMessage {
  /** Our id; a carrier that can take a reference gets it, so that its reports find the message. */
  id: string
  /** E.164, both. */
  fromNumber: string
  toNumber: string
  text: string | null
  /** Our own copy, which anybody who has the URL can fetch. */
  mediaUrl: string | null
  /** 1 for the first try. */
  attempt: number
  ageMs: number
}

/**
 * The one interface to every carrier account. `send` either resolves, which means that the carrier took the message, or
 * throws one of the four errors below. Anything else that it throws counts as CarrierOutcomeUnknown, the careful
 * reading: a message is never sent twice by itself.
 */
export interface Carrier {
  /** The account's. */
  readonly name: string
  send(message: OutboundMessage, signal: AbortSignal): Promise<{ carrierMessageId: string }>
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
   * What these numbers have received since then, as far as the carrier still has it: in batches, each of them oldest
   * first. It may give more than that; the same ids as its callbacks, so that nothing comes in twice.
   *
   * @throws CarrierRefused
   */
  listReceived?(
    numbers: readonly string[],
    since: Date,
    signal: AbortSignal,
  ): AsyncIterable<readonly ReceivedRecord[]>
  /** The headers that let us fetch media which the carrier hosts; none for a URL of another host. */
  mediaHeaders?(url: URL): Record<string, string>
  /** Lets go of connections when nothing is under way any more. */
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

export interface SentRecord {
  carrierMessageId: string
  status: 'sent' | 'delivered' | 'failed'
  error?: string
  carrierCode?: string
  /** It failed because the recipient has opted out of the line's number, as the carrier knows. */
  isOptedOut?: boolean
}

/** A message or a recording that the carrier got for one of our numbers. */
export interface ReceivedRecord {
  receivedAt: Date
  /** Of the parts that become events of their own. */
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
  /** Where the carrier has it. */
  | { type: 'inboundMedia' | 'voiceMail'; url: string }

/** An implementation: what an account of its kind is made of, and how a carrier is made of it. */
export interface CarrierKind<Settings extends AnyObject = AnyObject> {
  /** For people, such as `Twilio`. */
  title: string
  /**
   * Each setting has a sentence (`meta.about`), `meta.secret` if it is never shown again, and `meta.multiline` if it is
   * a text of several lines. They are texts, numbers and booleans.
   */
  settings: ObjectSchema<Settings>
  /** What an account has until somebody says otherwise. */
  defaults: {
    messagesPerSecond: number | null
    messagesPerSecondPerLine: number | null
    handlesOptOut: boolean
  }
  /**
   * An account has sessions at its carrier, as few as one, so one process holds them for all (`domain/smpp`). What
   * `create` makes has none, and sends nothing.
   */
  isHeld?: boolean
  /** undefined: this kind is switched off here. */
  create(account: { id: string; name: string }, settings: Settings, tools: CarrierTools): Carrier | undefined
}

/** What a carrier may use. */
export interface CarrierTools {
  http: SafeFetch
  log: Logger
  /** Where carriers reach us, without a slash at its end. */
  publicUrl: string
  /** undefined: the simulator is switched off. */
  simulatorOutbox: SimulatorOutbox | undefined
}

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
  ) {
    super(`The carrier rejected the message: ${reason}`)
    this.reason = reason as CarrierWords
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

/** Of what is not a message: the carrier did not do what it was asked. The message says in words what is wrong. */
export class CarrierRefused extends Error {
  override name = 'CarrierRefused'
}
