import { MAX_CARRIER_TIMEOUT_MS } from '../../config.js'
import { FetchFailed, type SafeFetch } from '../../safe-fetch.js'
import { CarrierRefused } from '../carrier.js'
import { explainBlockedCarrier } from '../refusals.js'
import { isSuccess, readAnswer, type Answer } from './answer.js'
import { withoutEnding } from '../../without-ending.js'

/** The longest answer is a page of a list of numbers; one of 250 has about 200 KiB. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** One request to a provider's API. At most one of `json`, `form` and `text` is its body. */
export interface ApiRequest {
  /** The default is POST with a body, otherwise GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** A path below the API's URL, or a whole URL. */
  path: string
  /** Fields without a value are left out here, in `json` (at its top level) and in `form`. */
  query?: Fields
  json?: object
  form?: Fields
  text?: { type: string; body: string }
  headers?: Readonly<Record<string, string>>
  /** The statuses, besides those of success, that are not refusals. */
  alsoTakes?: readonly number[]
}

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** The URL of a provider's API, and what every request includes. */
export interface ApiAccess {
  /** The URL without a trailing slash. */
  url: string
  headers?: Readonly<Record<string, string>>
}

/** A provider's API, as an account uses it. Each call is checked by `safe-fetch`. */
export interface Api {
  /**
   * Rejects with FetchFailed only.
   *
   * @returns any answer
   */
  ask(request: ApiRequest, signal: AbortSignal): Promise<Answer>
}

export function createApi(http: SafeFetch, { url, headers }: ApiAccess): Api {
  const base = withoutEnding(url, '/')
  return {
    ask: async ({ method, path, query, ...request }, signal) => {
      const { body, type } = bodyOf(request)
      const whole = /^https?:/.test(path) ? path : base + path
      const response = await http.request(whole + queryOf(query), {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: merged(
          { Accept: 'application/json' },
          headers,
          type === undefined ? {} : { 'Content-Type': type },
          request.headers,
        ),
        ...(body === undefined ? {} : { body }),
        signal,
        // The caller's signal usually ends a request sooner; this time-out is for one that has none.
        timeoutMs: MAX_CARRIER_TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      })
      return readAnswer(response)
    },
  }
}

/** Later headers replace those of the same name, whatever its case. */
function merged(...all: (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const byName = new Map(
    all.flatMap((headers = {}) =>
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [name, value]] as const),
    ),
  )
  return Object.fromEntries(byName.values())
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
 * Makes a request other than one for a message.
 *
 * @param explain describes a refusal in words
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

/** Explains why there was no answer at all. */
export function explainFailure(failure: unknown, title: string): string {
  if (!(failure instanceof FetchFailed)) throw failure
  return `${title} could not be reached. ${explainBlockedCarrier(failure)}`
}
