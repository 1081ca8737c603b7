/**
 * A provider's HTTP API and its callbacks, made from the provider's public documentation alone. It is strict: what the
 * documentation does not allow in a request is answered as the provider would answer it, and noted in `violations`.
 */
export interface StandIn {
  /** Where its API is, on loopback, without a slash at its end: `http://127.0.0.1:4321`. */
  readonly url: string
  /** Of its one account, by the names that the provider's dashboard gives them, as camelCase: `apiKey`, `publicKey`. */
  readonly credentials: Readonly<Record<string, string>>
  /** The account's own number, E.164. */
  readonly number: string
  /** Where its callbacks go. A test sets them, as a person does in the provider's dashboard. */
  callbackUrls: { message?: string; receipt?: string }
  /** Every message that it took, oldest first. */
  readonly taken: readonly TakenMessage[]
  /** What was wrong in the requests that it got: each a sentence, with the documentation's address. */
  readonly violations: readonly string[]
  /** How it treats the next request that would send a message; after that it does as always. */
  treatNext(how: Treatment): void
  /** Brings a message that its number has received, as the provider does. Several at once where it batches. */
  receive(messages: readonly ReceivedMessage[], forgery?: Forgery): Promise<CallbackAnswer[]>
  /** Reports on a message that it took. `code` is the provider's own error code. */
  report(
    id: string,
    state: 'sent' | 'delivered' | 'failed',
    code?: string,
    forgery?: Forgery,
  ): Promise<CallbackAnswer[]>
  close(): Promise<void>
}

export interface TakenMessage {
  /** The provider's id, as it answered it. */
  id: string
  /** As the request wrote them. */
  from: string
  to: string
  text: string | undefined
  mediaUrls: readonly string[]
  /** The sender's own reference, where the API has one. */
  reference: string | undefined
  /** Where the request itself asked for the receipt, where the API has that. */
  receiptUrl: string | undefined
}

export interface ReceivedMessage {
  /** The provider's id. The same once more is a repeat. Left out: a new one. */
  id?: string
  /** E.164 */
  from: string
  /** Left out: the account's own number. */
  to?: string
  text: string
  mediaUrls?: readonly string[]
}

/** `in-2xx`: a refusal that the provider answers with a status of success, where its documentation has one. */
export type Treatment =
  | 'invalid-recipient'
  | 'opted-out'
  | 'no-credit'
  | 'wrong-credentials'
  | 'throttled'
  | 'server-error'
  | 'in-2xx'
  | 'not-json'
  | 'empty'
  | 'hang'
  | 'close-before-answer'

/** What somebody else would send who does not know the account's secret, or who has recorded a callback. */
export type Forgery = 'unsigned' | 'wrong-secret' | 'other-body' | 'old'

export interface CallbackAnswer {
  status: number
  body: string
  /** Whether the provider takes this for success, by its documentation; if not, it repeats the callback. */
  isSuccess: boolean
}
