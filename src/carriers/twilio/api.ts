import { MAX_CARRIER_TIMEOUT_MS } from '../../config.js'
import type { SafeFetch, SafeResponse } from '../../safe-fetch.js'
import { CarrierRefused } from '../carrier.js'
import { readObject, readRecords } from './answers.js'
import { explainAnswer, explainTwilioFailure } from './errors.js'
import type { TwilioSettings } from './settings.js'
import { withoutEnding } from '../../without-ending.js'

/**
 * A page of 100 messages or numbers is about 150 KiB, far below the limit for an answer. Twilio allows up to 1,000
 * (https://www.twilio.com/docs/errors/20007), which would be above it.
 */
const PAGE_SIZE = 100
const MAX_ANSWER_BYTES = 1024 * 1024

export interface TwilioApi {
  /** Rejects with FetchFailed only. `path` is below the account's. */
  get(path: string, signal: AbortSignal): Promise<SafeResponse>
  /** A list is a repeated parameter. */
  post(
    path: string,
    form: Readonly<Record<string, string | readonly string[]>>,
    signal: AbortSignal,
  ): Promise<SafeResponse>
  /**
   * Yields the records of a list, page by page, until there are no more, or the caller has had enough.
   *
   * @throws CarrierRefused
   */
  pages(
    list: { path: string; query: Record<string, string>; name: string; maxPages: number },
    signal: AbortSignal,
  ): AsyncGenerator<Record<string, unknown>[]>
  /** The URL of a path below the account. */
  urlOf(path: string): string
  /** Returns the credentials for URLs of the API itself; none for any other host. */
  credentialsFor(url: URL): Record<string, string>
}

export function createApi(
  http: SafeFetch,
  { accountSid, authToken, apiKeySid, apiKeySecret, apiUrl }: Omit<TwilioSettings, 'greeting'>,
): TwilioApi {
  const base = withoutEnding(apiUrl, '/')
  const { origin } = new URL(base)
  const account = `${base}/2010-04-01/Accounts/${accountSid}`
  // See https://www.twilio.com/docs/iam/api-keys: the key's SID replaces that of the account.
  const credentials = apiKeySid === '' ? `${accountSid}:${authToken}` : `${apiKeySid}:${apiKeySecret}`
  const headers = {
    Accept: 'application/json',
    Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
  }
  // The caller's signal usually ends a request sooner; this time-out is for one that has none.
  const limits = { timeoutMs: MAX_CARRIER_TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES }
  const get = (url: string, signal: AbortSignal) => http.request(url, { headers, signal, ...limits })

  return {
    get: (path, signal) => get(account + path, signal),
    post: (path, form, signal) =>
      http.request(account + path, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(
          Object.entries(form).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
        ).toString(),
        signal,
        ...limits,
      }),
    async *pages({ path, query, name, maxPages }, signal) {
      const first = new URLSearchParams({ ...query, PageSize: String(PAGE_SIZE) })
      let url = `${account}${path}?${first.toString()}`
      for (let page = 0; page < maxPages; page += 1) {
        const body = await readPage(get(url, signal))
        yield readRecords(body[name])
        if (typeof body.next_page_uri !== 'string' || body.next_page_uri === '') return
        const next = new URL(body.next_page_uri, `${base}/`)
        // The check matters because the request carries the credentials.
        if (next.origin !== origin)
          throw new CarrierRefused("The next page of Twilio's list is on another host")
        url = next.href
      }
    },
    urlOf: (path) => account + path,
    credentialsFor: (url): Record<string, string> =>
      url.origin === origin ? { Authorization: headers.Authorization } : {},
  }
}

async function readPage(asking: Promise<SafeResponse>): Promise<Record<string, unknown>> {
  let answer: SafeResponse
  try {
    answer = await asking
  } catch (error) {
    throw new CarrierRefused(explainTwilioFailure(error))
  }
  const body = answer.status === 200 ? readObject(answer) : undefined
  if (body === undefined) throw new CarrierRefused(explainAnswer(answer))
  return body
}
