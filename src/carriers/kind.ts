import type { AnyObject, ObjectSchema } from 'yup'
import type { AccountTable } from '../kit/text/segments.js'
import type { SafeFetch } from '../safe-fetch.js'
import type { Logger } from '../telemetry/log.js'
import type { CarrierCallbacks } from './callbacks.js'
import type { CarrierClient } from './carrier.js'
import type { MediaLimits } from './media-limits.js'
import type { Listener, ListenTools } from './listening.js'
import type { SimulatorOutbox } from './simulator-outbox.js'

/** A kind of carrier: the settings of its accounts, and how a client is made from them. */
export interface CarrierKind<Settings extends AnyObject = AnyObject> {
  /** The kind's name for people, such as `Twilio`. */
  title: string
  /**
   * Each setting has a sentence (`meta.about`), `meta.secret` if it is never shown again, and `meta.multiline` if it is
   * a text of several lines. They are texts, numbers and booleans.
   */
  settings: ObjectSchema<Settings>
  /** The initial values of an account. */
  defaults: {
    messagesPerSecond: number | null
    messagesPerSecondPerLine: number | null
    handlesOptOut: boolean
  }
  /** The media that a message may have; one that exceeds this is never handed over. If left out, it may have none. */
  media?: MediaLimits
  /** Returns the languages whose tables an account with these settings may use to send texts as GSM-7; left out: none. */
  languages?(settings: Settings): readonly AccountTable[]
  /** True if its clients have `listCharges`. */
  listsCharges?: true
  /** True if its accounts send through phones and its clients have `listPhones`. */
  hasPhones?: true
  /** Returns undefined if this kind is switched off here. */
  create(
    account: { id: string; name: string },
    settings: Settings,
    tools: CarrierTools,
  ): CarrierClient | undefined
  /** How it delivers incoming messages and receipts over HTTP; undefined if it makes no calls. */
  callbacks?: CarrierCallbacks<Settings>
  /**
   * Opens the sessions of an account at its carrier, which may allow only one. So one process holds them for all, and
   * sends and receives through them (`src/domain/carriers/held-accounts`); the clients that `create` makes have none,
   * and send nothing. Sessions are reopened whenever they end. Undefined if the kind has no sessions.
   */
  listen?(account: { id: string; name: string }, settings: Settings, tools: ListenTools): Listener
  /** What an open session is called; the default is `bound`. */
  sessionWord?: 'connected'
  /** True if no other process could test an account, as with a device that only one may open. */
  isTestedWhereHeld?: true
}

/** The resources that a carrier may use. */
export interface CarrierTools {
  http: SafeFetch
  log: Logger
  /** The URL where carriers reach us, without a trailing slash. */
  publicUrl: string
  /** undefined if the simulator is switched off. */
  simulatorOutbox: SimulatorOutbox | undefined
}
