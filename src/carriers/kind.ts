import type { AnyObject, ObjectSchema } from 'yup'
import type { SafeFetch } from '../safe-fetch.js'
import type { Logger } from '../telemetry/log.js'
import type { CarrierCallbacks } from './callbacks.js'
import type { CarrierClient } from './carrier.js'
import type { MediaLimits } from './media-limits.js'
import type { Listener, ListenTools } from './listening.js'
import type { SimulatorOutbox } from './simulator-outbox.js'

/** An implementation: what an account of its kind is made of, and how a carrier is made of it. */
export interface CarrierKind<Settings extends AnyObject = AnyObject> {
  /** The kind's name for people, such as `Twilio`. */
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
  /** What a message may have of media, of which one beyond it is never handed over; left out: none. */
  media?: MediaLimits
  /** What it makes has `listCharges`; left out: it has not. */
  listsCharges?: true
  /** Its accounts send by phones, and what it makes has `listPhones`; left out: they do not. */
  hasPhones?: true
  /** undefined: this kind is switched off here. */
  create(
    account: { id: string; name: string },
    settings: Settings,
    tools: CarrierTools,
  ): CarrierClient | undefined
  /** How it brings what lines receive, and receipts, over HTTP; left out: it calls nobody. */
  callbacks?: CarrierCallbacks<Settings>
  /**
   * An account has sessions at its carrier, as few as one. So one process holds them for all, and sends and receives by
   * them (`src/domain/carriers/held-accounts`); what `create` makes has none, and sends nothing. They open again
   * whenever they end. Left out: it has no sessions.
   */
  listen?(account: { id: string; name: string }, settings: Settings, tools: ListenTools): Listener
}

/** What a carrier may use. */
export interface CarrierTools {
  http: SafeFetch
  log: Logger
  /** The URL at which carriers reach us, without a slash at its end. */
  publicUrl: string
  /** undefined: the simulator is switched off. */
  simulatorOutbox: SimulatorOutbox | undefined
}
