import type { AnyObject, ObjectSchema } from 'yup'
import type { CallbackAnswer, CallbackRequest } from '../callbacks.js'
import type { CarrierNumber, MediaToSend } from '../carrier.js'
import type { CarrierKind } from '../kind.js'
import type { MediaLimits } from '../media-limits.js'
import type { Charge, PhoneState } from '../records.js'
import type { Answer } from './answer.js'
import type { ApiAccess, ApiRequest } from './api.js'
import type { Brought } from './brought.js'
import type { NumberForm } from './numbers.js'
import type { Listed } from './received.js'
import type { CodeTable, Refusal } from './refusals.js'

/**
 * A provider of texts over HTTP: what differs between one and the next, and nothing else. `carrierOf` makes a kind of
 * carrier of it. None of its functions asks or keeps anything by itself.
 */
export interface Provider<Settings extends AnyObject> {
  /** Its word in URLs and on the command line, such as `telnyx`. */
  kind: string
  title: string
  settings: ObjectSchema<Settings>
  defaults?: Partial<CarrierKind['defaults']>
  /** What a message may have of media; left out: none. */
  media?: MediaLimits
  /** How it writes numbers, in both directions. Left out: with a plus sign. */
  numbers?: NumberForm | ((settings: Settings) => NumberForm)
  /** What its codes mean, in answers and in reports. */
  codes?: CodeTable
  /** Where its API is, and what each request carries, such as the credentials. */
  api: (settings: Settings) => ApiAccess
  /** The request that sends a message. @throws CarrierRejected, CarrierUnavailable for what it cannot send, or not yet */
  send: (message: MessageToSend, use: Use<Settings>) => ApiRequest
  /** The message's id in an answer of success; '' where it is not there. A provider that gives none may give back ours. */
  id: (answer: Answer, message: MessageToSend, settings: Settings) => string
  /** What it says in the same answer that the message costs; left out: nothing. */
  charge?: (answer: Answer) => Charge | undefined
  /** What it says where it did not take the message, in an answer of whatever status; undefined: nothing. */
  refusal?: (answer: Answer, settings: Settings) => Refusal | undefined
  /** A request that sends nothing and costs nothing, and works with the right credentials only. */
  test: (settings: Settings) => ApiRequest
  /** Whether an answer to `test` means that the account works. Left out: one of success that is no refusal. */
  isWorking?: (answer: Answer) => boolean
  /** What a person should look at when the credentials are refused. */
  credentialsHint: string
  /** @throws CarrierRefused */
  listNumbers?: (asking: Asking<Settings>) => Promise<CarrierNumber[]>
  /** @throws CarrierRefused */
  setUpNumbers?: (numbers: readonly CarrierNumber[], asking: Asking<Settings>) => Promise<void>
  /** The phones that the account sends by: those that were ever heard of. @throws CarrierRefused */
  listPhones?: (asking: Asking<Settings>) => Promise<PhoneState[]>
  /** What the account has received since then, and older where the API lists that too, in any order. @throws CarrierRefused */
  listReceived?: (since: Date, asking: Asking<Settings>) => Promise<readonly Listed[]>
  /** The headers for media at its own host. Left out: anybody who has a URL may read them. */
  mediaHeaders?: (url: URL, settings: Settings) => Record<string, string>
  callbacks?: ProviderCallbacks<Settings>
}

/** A message, with its numbers as the provider writes them. */
export interface MessageToSend {
  /** Ours. */
  id: string
  from: string
  to: string
  /** undefined: there is none. */
  text: string | undefined
  /** In order, and within the provider's limits. */
  media: readonly MediaToSend[]
  /** Theirs: anybody who has such a URL can fetch it. */
  mediaUrls: readonly string[]
  /** After so long it is no longer wanted; undefined: its sender did not say. */
  expiresInMs: number | undefined
}

/** What there is besides the message. */
export interface Use<Settings> {
  settings: Settings
  /** The URL at which the provider reaches us; what is in its query comes back. */
  callbackUrl: (name: string, query?: Readonly<Record<string, string>>) => string
}

/** The provider's API, for other things than a message. */
export interface Asking<Settings> extends Use<Settings> {
  /** An answer of success. @throws CarrierRefused in words for people */
  ask: (request: ApiRequest) => Promise<Answer>
}

/** How a provider calls us. */
export interface ProviderCallbacks<Settings> {
  /** The last parts of our URLs, and what a person calls them at the provider: `{ events: 'Webhook URL' }`. */
  urls: Readonly<Record<string, string>>
  /** What an operator should look at when a request is not the provider's. */
  hint: string
  /** Whether the provider made the request. It may be left out where there is a `key`. */
  verify?: (settings: Settings, request: CallbackRequest) => boolean
  /** The secret in our URLs, which then must be in each request. For a provider that signs nothing; undefined: none. */
  key?: (settings: Settings) => string | undefined
  /** It calls with GET, and everything is in the query. */
  takesGet?: boolean
  /** A request may bring a hundred messages or reports: it has 512 KiB at most, instead of 64. */
  bringsMany?: boolean
  /** What a request brings, as a list or one thing. Left out: its fields. */
  items?: (request: CallbackRequest, name: string, settings: Settings) => unknown
  /** What one of these is. It is read alone: whatever it throws leaves the others as they are. */
  read: (item: unknown, of: Reading<Settings>) => Brought | readonly Brought[]
  /** What it takes for success. Left out: 200 and `{}`. */
  answer?: CallbackAnswer
  /** How long it waits for an answer, in ms. */
  waitMs?: number
}

export interface Reading<Settings> {
  /** Which of the `urls` was called. */
  name: string
  request: CallbackRequest
  settings: Settings
}

/** How an account's numbers are written. */
export function numberFormOf<Settings extends AnyObject>(
  { numbers }: Pick<Provider<Settings>, 'numbers'>,
  settings: Settings,
): NumberForm | undefined {
  return typeof numbers === 'function' ? numbers(settings) : numbers
}
