import type { SafeFetch } from '../safe-fetch.js'
import type { Logger } from '../telemetry/log.js'
import type { EncodedText } from './alphabets/encoded-text.js'
import type { CarrierClient } from './carrier.js'
import type { SentRecord } from './records.js'

/** A text that arrived in a session; the carrier gives it no id. */
export interface Arrival {
  /** Our id of this arrival. */
  id: string
  sessionId: string
  /** A digest of everything that the carrier sends about it, which is the same in a repeat. */
  digest: Buffer
  /** After a silence this long the session may be over for the carrier, and the same text may be a repeat. In ms. */
  silentMs: number
  /** After this time nothing is a repeat of it; a week at most. In ms. */
  rememberedMs: number
}

export interface ArrivedText {
  from: CarrierAddress
  to: CarrierAddress
  body: EncodedText
  /** Undefined if it is the whole text. */
  part: TextPart | undefined
}

/** A number in a carrier's form. */
export interface CarrierAddress {
  /** E.164 if it is international, otherwise unchanged. */
  address: string
  /** `local` is a number of some country; `other` is a short code or a name. */
  kind: 'international' | 'local' | 'other'
}

/** A receipt that arrived in a session. Carriers write ids in more than one way, and reuse some. */
export interface CarriedReceipt extends SentRecord {
  /** Other forms in which the id may have been written when the message was taken. They count for `numbers` only. */
  otherIds: readonly string[]
  /** The message was sent to one of these numbers, in any form; undefined if the receipt does not say. */
  numbers: readonly string[] | undefined
  /** True if the carrier marks it as a receipt. Otherwise only its words do, and a person may have written them. */
  isMarked: boolean
  /** Our own id of the message, if this is the answer to its call. */
  messageId?: string
}

export interface TextPart {
  /** The reference that the parts of one text share. */
  reference: number
  total: number
  /** The part's place, from 1. */
  number: number
}

export type TextOutcome =
  /** The text is committed. `confirmId` is for `confirmTexts`, when the carrier has certainly read our answer. */
  { kind: 'taken'; confirmId: string } | { kind: 'no_line' }

/**
 * What happened to a receipt. `of_nothing` concerns nothing that we sent. `early` may concern a text whose response is
 * still to come: the carrier has to deliver it again.
 */
export type ReceiptTaken = 'taken' | 'of_nothing' | 'early'

/** The tools of an account with sessions. */
export interface ListenTools {
  hosts: SafeFetch
  log: Logger
  /** How long the carrier may take to respond to each part of a text. */
  carrierTimeoutMs: number
  /**
   * When this resolves, the text is committed, or belongs to no line of the account.
   *
   * @throws Unavailable
   */
  receiveText: (arrival: Arrival, text: ArrivedText) => Promise<TextOutcome>
  /**
   * Takes a receipt as `receiveText` takes a text.
   *
   * @throws Unavailable
   */
  receiveReceipt: (receipt: CarriedReceipt) => Promise<ReceiptTaken>
  confirmTexts: (ids: string[]) => Promise<void>
  /**
   * Stores what was not understood, for operators. `why` says in words what it is. A text to a number without a line
   * comes with that number, which is logged only once.
   */
  keepUnclear: (unclear: { why: string; body: Buffer; toNumber?: string }) => Promise<void>
  /**
   * Records a secret before it is tried, if it must not be tried in vain twice.
   *
   * @returns false if this secret is noted already
   */
  tryOnce: (secret: string) => Promise<boolean>
  /** Removes that record, because the secret has worked or is no longer set. */
  forgetTried: () => Promise<void>
  /** Called when `state()` has changed. */
  onChange: () => void
}

export interface SessionsState {
  boundCount: number
  /** How many there should be. */
  sessionCount: number
  /** What happened to the session that was refused or lost last, in words; `at` is a time of `performance.now()`. */
  fault: { text: string; at: number } | undefined
  /** More about open sessions in words, such as the network; undefined if there is nothing to say. */
  details?: string | undefined
}

/** The sessions of an account, in both directions. */
export interface Listener {
  /** Sends through the sessions. */
  carrier: CarrierClient
  /** The number of texts that are sent at a time. */
  concurrency: number
  openSessionIds(): string[]
  state(): SessionsState
  /** Accepts nothing new, finishes what it has, and unbinds from the carrier. */
  close(): Promise<void>
}
