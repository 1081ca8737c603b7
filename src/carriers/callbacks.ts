import type { PhoneState, ReceivedContent, SentRecord } from './records.js'

/** A carrier's request to us, at `/carriers/{kind}/{accountId}/{name}`. */
export interface CallbackRequest {
  /**
   * The URL as the carrier was told to call it: `PUBLIC_URL` and the request's own path and query, never its Host
   * header.
   */
  url: string
  method: 'GET' | 'POST'
  /** The URL's. What we wrote into it comes back. */
  query: URLSearchParams
  /** The secret of ours in the URL (`CarrierCallbacks.key`), which is not in `query`; '' where there is none. */
  key: string
  /** The body as it came: signatures are over it. */
  body: Buffer
  /**
   * What the body says, as JSON, XML or form: an object, a list, or whatever it is; undefined where it is none of them. For
   * GET, what the query says.
   */
  content: unknown
  /** The content where it is an object, or else none. */
  fields: Readonly<Record<string, unknown>>
  /** Who connected, or whom the trusted proxies name. */
  address: string
  /** '' where there is none. */
  header: (name: string) => string
}

export interface CallbackAnswer {
  /** 200 where it is left out. */
  status?: number
  /** Its Content-Type. */
  type: string
  body: string
}

/** A message that the carrier brings. */
export interface BroughtMessage {
  /** The carrier's own id: a repeat of it does nothing. */
  carrierMessageId: string
  /** E.164, both; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  content: ReceivedContent
  /** What the carrier has read in it about being written to, and answered itself. */
  keyword?: 'stop' | 'start' | 'help'
}

/** A call that nobody answered. */
export interface MissedCall {
  /** E.164, both; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  calledAt: Date
}

/** What a callback is handed. The settings may be old: whatever it takes in is compared with the account as it is. */
export interface CallbackTools<Settings> {
  account: { id: string; name: string }
  settings: Settings
  publicUrl: string
  /** When this resolves, the message is committed. @throws UserError 404 when no line of the account has the number */
  receiveMessage: (message: BroughtMessage) => Promise<void>
  /** `messageId`: ours, where the carrier hands it back; it finds a message whose carrier's id we never learned. */
  receiveReceipt: (receipt: SentRecord & { messageId?: string }) => Promise<void>
  /** When this resolves, the events are committed. A repeat makes none. @throws UserError 404, 403 as `confirm` does */
  receiveMissedCall: (call: MissedCall) => Promise<void>
  /** Keeps how a phone of the account is. @throws UserError 404, 403 as `confirm` does */
  notePhone: (phone: PhoneState) => Promise<void>
  /**
   * The settings as they are now, for an answer that takes nothing in: then nothing else looks whether the request was
   * signed with what they are.
   *
   * @throws UserError 404, 403
   */
  confirm: () => Promise<Settings>
  /** Whether a line of the account has the number. */
  hasLine: (number: string) => Promise<boolean>
  /**
   * Keeps the request for operators: when this resolves, they can read it, and the carrier may be answered with success.
   *
   * @param why names what is not understood, without what people wrote
   * @throws UserError 404, 403 as `confirm` does
   */
  keepUnclear: (why: string) => Promise<void>
}

/** How a carrier calls us. */
export interface CarrierCallbacks<Settings> {
  /** The last parts of their paths. */
  names: readonly string[]
  /** What people at the carrier call the place where each URL goes; left out: nobody enters them. */
  labels?: Readonly<Record<string, string>>
  /** It calls with GET, and everything is in the query. Left out: POST only. */
  takesGet?: boolean
  /** A request may bring a hundred messages or reports: it has 512 KiB at most, instead of 64. */
  bringsMany?: boolean
  /** How long it waits for an answer, in ms; left out: as long as Twilio. */
  waitMs?: number
  /** The secret of ours in each URL, for a carrier that signs nothing; left out: there is none. */
  key?(settings: Settings): string | undefined
  /** What the operator should look at when a request is not signed with the account's secret. */
  unsignedHint: string
  /** Whether who knows the account's secret made the request. Compared in constant time. */
  isSigned(settings: Settings, request: CallbackRequest): boolean
  /**
   * Takes in what the request brings, and answers it. A repeat does nothing, and is answered as the first time.
   *
   * @throws UserError for what the carrier does not send
   */
  answer(name: string, request: CallbackRequest, tools: CallbackTools<Settings>): Promise<CallbackAnswer>
}

/** The parameter of our URLs that has the account's secret in it. */
export const KEY_PARAMETER = 'key'

/** The URL at which a carrier reaches us for an account. */
export function callbackUrlOf(
  publicUrl: string,
  { kind, accountId, name }: { kind: string; accountId: string; name: string },
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams(query).toString()
  return `${publicUrl}/carriers/${kind}/${accountId}/${name}${search === '' ? '' : `?${search}`}`
}
