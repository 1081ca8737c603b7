import type { SafeFetch } from '../safe-fetch.js'
import type { Logger } from '../telemetry/log.js'
import type { EncodedText } from './alphabets/encoded-text.js'
import type { CarrierClient } from './carrier.js'
import type { SentRecord } from './records.js'

/** A text that came in a session, which has no id of its carrier's. */
export interface Arrival {
  /** Ours, of this arrival. */
  id: string
  sessionId: string
  /** A digest of all that the carrier says of it, which is the same when it says it again. */
  digest: Buffer
  /** After so long a silence the session may be over for the carrier, and the same text may be a repeat. In ms. */
  silentMs: number
}

export interface ArrivedText {
  from: CarrierAddress
  to: CarrierAddress
  body: EncodedText
  /** undefined: it is the whole text. */
  part: TextPart | undefined
}

/** A number as a carrier writes it. */
export interface CarrierAddress {
  /** E.164 if it is international; else as it came. */
  address: string
  /** `local`: a number of some country; `other`: a short code, or a name. */
  kind: 'international' | 'local' | 'other'
}

/** A receipt that came in a session. Carriers write ids in more than one way, and use some again. */
export interface CarriedReceipt extends SentRecord {
  /** How the id may have been written when the message was taken. Each counts for `numbers` only. */
  otherIds: readonly string[]
  /** One of them is whom the message was sent to, in whatever form; undefined: it does not say. */
  numbers: readonly string[] | undefined
  /** Whether the carrier says that it is a receipt. Else only its words do, and a person may have written them. */
  isMarked: boolean
}

export interface TextPart {
  /** What the parts of one text have in common. */
  reference: number
  total: number
  /** The part's place, from 1. */
  number: number
}

export type TextOutcome =
  /** It is committed. `confirmId`: to be told by `confirmTexts` when the carrier has certainly read our answer. */
  { kind: 'taken'; confirmId: string } | { kind: 'no_line' }

/** What an account with sessions is handed. */
export interface ListenTools {
  hosts: SafeFetch
  log: Logger
  /** When this resolves, the text is committed, or it is of no line of the account. @throws Unavailable */
  receiveText: (arrival: Arrival, text: ArrivedText) => Promise<TextOutcome>
  /**
   * Takes a receipt as `receiveText` takes a text. @returns whether it is of something that we sent; else it is let go
   */
  receiveReceipt: (receipt: CarriedReceipt) => Promise<boolean>
  confirmTexts: (ids: string[]) => Promise<void>
  /** `state()` has changed. */
  onChange: () => void
}

export interface SessionsState {
  boundCount: number
  /** How many there should be. */
  sessionCount: number
  /** What happened to the one that was refused or lost last, in words; `at`: of `performance.now()`. */
  fault: { text: string; at: number } | undefined
}

/** The sessions of an account, for both ways. */
export interface Listener {
  /** Sends by the sessions. */
  carrier: CarrierClient
  /** How many texts are sent at a time. */
  concurrency: number
  openSessionIds(): string[]
  state(): SessionsState
  /** Takes nothing more, ends what it holds, and says good-bye to the carrier. */
  close(): Promise<void>
}
