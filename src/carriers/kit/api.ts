import { MAX_CARRIER_TIMEOUT_MS } from '../../config.js'
import { FetchFailed, type SafeFetch } from '../../safe-fetch.js'
import { CarrierRefused } from '../carrier.js'
import { explainBlockedCarrier } from '../refusals.js'
import { isSuccess, readAnswer, type Answer } from './answer.js'

/** A list's page of numbers is the longest answer; one of 250 has some 200 KiB. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** One request to a provider's API. Of `json`, `form` and `text` one at most is its body. */
export interface ApiRequest {
  /** POST with a body, else GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Below the API's URL, or a whole URL. */
  path: string
  /** What has no value is left out here, in `json` (at its top) and in `form`. */
  query?: Fields
  json?: object
  form?: Fields
  text?: { type: string; body: string }
  headers?: Readonly<Record<string, string>>
  /** Statuses of answers that are no refusal, besides those of success. */
  alsoTakes?: readonly number[]
}

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** Where a provider's API is, and what each request carries. */
export interface ApiAccess {
  /** Without a slash at its end. */
  url: string
  headers?: Readonly<Record<string, string>>
}

/** A provider's API as an account may use it. Each call goes through the guarded door. */
export interface Api {
  /** @returns whatever was answered. Rejects with FetchFailed only. */
  ask(request: ApiRequest, signal: AbortSignal): Promise<Answer>
}

export function createApi(http: SafeFetch, { url, headers }: ApiAccess): Api {
  const base = url.replace(/\/+$/, '')
  return {
    ask: async ({ method, path, query, ...request }, signal) => {
      const { body, type } = bodyOf(request)
      const whole = /^https?:/.test(path) ? path : base + path
      const response = await http.request(whole + queryOf(query), {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          Accept: 'application/json',
          ...headers,
          ...(type === undefined ? {} : { 'Content-Type': type }),
          ...request.headers,
        },
        ...(body === undefined ? {} : { body }),
        signal,
        // The caller's signal ends a request sooner; this time-out is for one that comes without.
        timeoutMs: MAX_CARRIER_TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      })
      return readAnswer(response)
    },
  }
}

function bodyOf({ json, form, text }: Pick<ApiRequest, 'json' | 'form' | 'text'>) {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' }
  if (form !== undefined) return { body: encode(form), type: 'application/x-www-form-urlencoded' }
  return text === undefined ? { body: undefined, type: undefined } : text
}

function queryOf(query: Fields | undefined): string {
  const encoded = query === undefined ? '' : encode(query)
  return encoded === '' ? '' : `?${encoded}`
}

function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => [name, each] as [string, string]),
  )
  return new URLSearchParams(pairs).toString()
}

/**
 * What was answered to something other than a message.
 *
 * @param explain says in words what a refusal is about
 * @throws CarrierRefused
 */
export async function askOrRefuse(
  asking: Promise<Answer>,
  title: string,
  explain: (answer: Answer) => string,
  alsoTakes: readonly number[] = [],
): Promise<Answer> {
  const answer = await asking.catch((error: unknown) => {
    throw new CarrierRefused(explainFailure(error, title))
  })
  if (!isSuccess(answer) && !alsoTakes.includes(answer.status)) throw new CarrierRefused(explain(answer))
  return answer
}

/** Tells people why there was no answer at all. */
export function explainFailure(failure: unknown, title: string): string {
  if (!(failure instanceof FetchFailed)) throw failure
  return `${title} could not be reached. ${explainBlockedCarrier(failure)}`
}
