import type { PhoneState, ReceivedContent, SentRecord } from './records.js'

/** A carrier's request to us, at `/carriers/{kind}/{accountId}/{name}`. */
export interface CallbackRequest {
  /** The URL that the carrier was given: `PUBLIC_URL` and the request's path and query, never its Host header. */
  url: string
  method: 'GET' | 'POST'
  /** The query of the URL. Values that we put into it come back. */
  query: URLSearchParams
  /** Our secret in the URL (`CarrierCallbacks.key`), which is not in `query`; '' without one. */
  key: string
  /** The original bytes of the body, because signatures are over them. */
  body: Buffer
  /**
   * The content of the body, read as JSON, XML or form: an object, a list or any other value; undefined if it cannot be
   * read as any of these. For GET, the content of the query.
   */
  content: unknown
  /** The content if it is an object, otherwise an empty one. */
  fields: Readonly<Record<string, unknown>>
  /** Returns '' if there is no such header. */
  header: (name: string) => string
}

export interface CallbackAnswer {
  /** The default is 200. */
  status?: number
  /** The Content-Type. */
  type: string
  body: string
}

/** A message that the carrier delivers. */
export interface CallbackMessage {
  /** The carrier's id: a repeat with it does nothing. */
  carrierMessageId: string
  /** Both are E.164; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  content: ReceivedContent
  /** The keyword that the carrier recognized in the text, and has already answered. */
  keyword?: 'stop' | 'start' | 'help'
}

/** A call that was not answered. */
export interface MissedCall {
  /** Both are E.164; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  calledAt: Date
}

/** Somebody wants no more messages of a line. */
export interface CarrierOptOut {
  /** Both are E.164, or a name; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
}

/**
 * The tools of a callback. Its settings may be outdated: everything that it accepts is checked against the current
 * account.
 */
export interface CallbackTools<Settings> {
  account: { id: string; name: string }
  settings: Settings
  publicUrl: string
  /**
   * When this resolves, the message is committed.
   *
   * @throws UserError 404 if no line of the account has the number
   */
  receiveMessage: (message: CallbackMessage) => Promise<void>
  /**
   * `messageId` is our id, if the carrier returns it; it finds a message whose carrier id we never got. `isOfPart` is
   * true if it may be about only one of several parts.
   */
  receiveReceipt: (receipt: SentRecord & { messageId?: string; isOfPart?: boolean }) => Promise<void>
  /**
   * When this resolves, the events are committed. A repeat makes none.
   *
   * @throws UserError 404, 403 as `confirm` does
   */
  receiveMissedCall: (call: MissedCall) => Promise<void>
  /**
   * Records that somebody has told the carrier that they want no more messages of a line. A repeat does nothing.
   *
   * @throws UserError 404, 403 as `confirm` does
   */
  noteOptOut: (optOut: CarrierOptOut) => Promise<void>
  /**
   * Stores the state of one of the account's phones.
   *
   * @throws UserError 404, 403 as `confirm` does
   */
  notePhone: (phone: PhoneState) => Promise<void>
  /**
   * Returns the current settings, for a response that stores nothing: in that case, nothing else checks that the
   * request was signed with the current secret.
   *
   * @throws UserError 404, 403
   */
  confirm: () => Promise<Settings>
  /** Resolves to true if a line of the account has the number. */
  hasLine: (number: string) => Promise<boolean>
  /**
   * Stores the request for operators: once this resolves, they can read it, and the carrier may get a success response.
   *
   * @param why names the part that is not understood, without what people wrote
   * @throws UserError 404, 403 as `confirm` does
   */
  keepUnclear: (why: string) => Promise<void>
}

/** The way in which a carrier calls us. */
export interface CarrierCallbacks<Settings> {
  /** The last parts of the callbacks' paths. */
  names: readonly string[]
  /** The carrier's names for the fields where a user enters each URL; undefined if nobody has to enter them. */
  labels?: Readonly<Record<string, string>>
  /** True if it calls with GET, with everything in the query. The default is POST only. */
  takesGet?: boolean
  /** True if a request may contain a hundred messages or reports: the limit is then 512 KiB instead of 64. */
  bringsMany?: boolean
  /** True if pictures are in the request itself: the limit is then 4 MiB. */
  bringsMedia?: boolean
  /** How long it waits for a response, in ms; the default is Twilio's. */
  waitMs?: number
  /** Our secret in each URL, for a carrier that signs nothing; undefined if there is none. */
  key?(settings: Settings): string | undefined
  /** A hint for the operator, for a request that is not signed with the account's secret. */
  unsignedHint: string
  /** True if the request was made with the account's secret. Compares in constant time. */
  isSigned(settings: Settings, request: CallbackRequest): boolean
  /**
   * Processes the contents of the request, and responds to it. A repeat does nothing, and gets the same response as the
   * first request.
   *
   * @throws UserError for a request that the carrier would not send
   */
  answer(name: string, request: CallbackRequest, tools: CallbackTools<Settings>): Promise<CallbackAnswer>
}

/** The parameter of our URLs that contains the account's secret. */
export const KEY_PARAMETER = 'key'

/** The URL where a carrier reaches us for an account. */
export function callbackUrlOf(
  publicUrl: string,
  { kind, accountId, name }: { kind: string; accountId: string; name: string },
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams(query).toString()
  return `${publicUrl}/carriers/${kind}/${accountId}/${name}${search === '' ? '' : `?${search}`}`
}
