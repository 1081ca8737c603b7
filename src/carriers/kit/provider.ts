import type { AnyObject, ObjectSchema } from 'yup'
import type { CallbackAnswer, CallbackRequest, CarrierCallbacks } from '../callbacks.js'
import type { CarrierNumber, OutboundMessage } from '../carrier.js'
import type { CarrierKind } from '../kind.js'
import type { MediaLimits } from '../media-limits.js'
import type { Charge, PhoneState } from '../records.js'
import type { Answer } from './answer.js'
import type { ApiAccess, ApiRequest } from './api.js'
import type { CallbackItem } from './callback-items.js'
import type { NumberForm } from './numbers.js'
import type { Listed } from './received.js'
import type { CodeTable, Refusal } from './refusals.js'

/**
 * A provider of texts over HTTP: only what differs between one and the next. `carrierOf` makes a kind of carrier from
 * it. None of its functions makes requests or holds state.
 */
export interface Provider<Settings extends AnyObject> {
  /** The name in URLs and on the command line, such as `telnyx`. */
  kind: string
  title: string
  settings: ObjectSchema<Settings>
  defaults?: Partial<CarrierKind['defaults']>
  /** What a message may have of media; left out: none. */
  media?: MediaLimits
  /** The form of numbers, in both directions. The default has a plus sign. */
  numbers?: NumberForm | ((settings: Settings) => NumberForm)
  /** The meanings of its codes in answers and reports. */
  codes?: CodeTable
  /** The URL of its API, and what every request includes, such as the credentials. */
  api: (settings: Settings) => ApiAccess
  /**
   * Makes the request that sends a message.
   *
   * @throws CarrierRejected, CarrierUnavailable for a message that it cannot send, or not yet
   */
  send: (message: MessageToSend, use: Use<Settings>) => ApiRequest
  /**
   * Reads the message's id from a successful response; '' if there is none. A provider that gives no id may return
   * ours.
   */
  id: (answer: Answer, message: MessageToSend, settings: Settings) => string
  /** Reads the cost of the message from the same response; undefined if the provider does not give it there. */
  charge?: (answer: Answer) => Charge | undefined
  /** Reads the refusal from a response of any status; undefined if it has none. */
  refusal?: (answer: Answer, settings: Settings) => Refusal | undefined
  /** Makes a request that sends nothing, costs nothing, and works only with the right credentials. */
  test: (settings: Settings) => ApiRequest
  /**
   * True if the response to `test` means that the account works. By default, any success that is not a refusal does.
   */
  isWorking?: (answer: Answer) => boolean
  /** A hint for the user if the credentials are refused. */
  credentialsHint: string
  /** @throws CarrierRefused */
  listNumbers?: (asking: Asking<Settings>) => Promise<CarrierNumber[]>
  /** @throws CarrierRefused */
  setUpNumbers?: (numbers: readonly CarrierNumber[], asking: Asking<Settings>) => Promise<void>
  /**
   * Lists the account's phones that have ever made contact.
   *
   * @throws CarrierRefused
   */
  listPhones?: (asking: Asking<Settings>) => Promise<PhoneState[]>
  /**
   * Lists what the account has received since then, in any order; it may be older if the API lists that too.
   *
   * @throws CarrierRefused
   */
  listReceived?: (since: Date, asking: Asking<Settings>) => Promise<readonly Listed[]>
  callbacks?: ProviderCallbacks<Settings>
}

/** A message, with its numbers in the provider's form, and media within its limits. */
export interface MessageToSend extends Pick<OutboundMessage, 'id' | 'media' | 'expiresInMs'> {
  from: string
  to: string
  /** undefined if there is none. */
  text: string | undefined
  /** The URLs of the media; anyone who has one can fetch the file. */
  mediaUrls: readonly string[]
}

/** The context of a message. */
export interface Use<Settings> {
  settings: Settings
  /** Returns the URL where the provider reaches us; the values in its query come back. */
  callbackUrl: (name: string, query?: Readonly<Record<string, string>>) => string
}

/** The provider's API for requests other than messages. */
export interface Asking<Settings> extends Use<Settings> {
  /**
   * Resolves to a successful response.
   *
   * @throws CarrierRefused with words for people
   */
  ask: (request: ApiRequest) => Promise<Answer>
}

/** The way in which a provider calls us. It has a `key` if it signs nothing, and may then leave out `verify`. */
export interface ProviderCallbacks<Settings> extends Pick<
  CarrierCallbacks<Settings>,
  'key' | 'takesGet' | 'bringsMany' | 'bringsMedia' | 'waitMs'
> {
  /** The last parts of our URLs, with the provider's name for each: `{ events: 'Webhook URL' }`. */
  urls: Readonly<Record<string, string>>
  /** A hint for the operator, for a request that is not the provider's. */
  hint: string
  /** True if the provider made the request. */
  verify?: (settings: Settings, request: CallbackRequest) => boolean
  /** Returns the items of a request, as a list or a single one. The default is its fields. */
  items?: (request: CallbackRequest, name: string, settings: Settings) => unknown
  /** Reads one of these items. Each is read alone: an error leaves the others as they are. */
  read: (item: unknown, of: Reading<Settings>) => CallbackItem | readonly CallbackItem[]
  /** The response that it accepts as success. The default is 200 and `{}`. */
  answer?: CallbackAnswer
}

interface Reading<Settings> {
  /** The name of the one of the `urls` that was called. */
  name: string
  request: CallbackRequest
  settings: Settings
}

export function numberFormOf<Settings extends AnyObject>(
  { numbers }: Pick<Provider<Settings>, 'numbers'>,
  settings: Settings,
): NumberForm | undefined {
  return typeof numbers === 'function' ? numbers(settings) : numbers
}
