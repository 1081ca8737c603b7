import type { SafeFetch } from '../../safe-fetch.js'
import { withoutEnding } from '../../without-ending.js'
import { CarrierRefused } from '../carrier.js'
import type { Answer } from '../kit/answer.js'
import * as kit from '../kit/api.js'
import { isRecord, listAt, textAt } from '../kit/reading.js'
import { explainAnswer } from './errors.js'
import type { TwilioSettings } from './settings.js'

/**
 * A page of 100 messages or numbers is about 150 KiB, far below the limit for an answer. Twilio allows up to 1,000
 * (https://www.twilio.com/docs/errors/20007), which would be above it.
 */
const PAGE_SIZE = 100

/** The paths are below the account's. */
export interface TwilioApi extends kit.Api {
  /**
   * Resolves to a successful answer.
   *
   * @param explain describes any other
   * @throws CarrierRefused
   */
  askOrRefuse(
    request: kit.ApiRequest,
    signal: AbortSignal,
    explain?: (answer: Answer) => string,
  ): Promise<Answer>
  /**
   * Yields the records of a list, newest first and page by page, until there are no more, or they are older than
   * `since`, or the caller has had enough.
   *
   * @throws CarrierRefused
   */
  pages(
    list: { path: string; query?: Record<string, string>; name: string; maxPages: number; since?: number },
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
  const headers = { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  const api = kit.createApi(http, { url: account, headers })
  const askOrRefuse: TwilioApi['askOrRefuse'] = (request, signal, explain = explainAnswer) =>
    kit.askOrRefuse(api.ask(request, signal), 'Twilio', explain, request.alsoTakes)

  return {
    ...api,
    askOrRefuse,
    async *pages({ path, query, name, maxPages, since = -Infinity }, signal) {
      let request: kit.ApiRequest = { path, query: { ...query, PageSize: String(PAGE_SIZE) } }
      for (let page = 0; page < maxPages; page += 1) {
        const answer = await askOrRefuse(request, signal)
        const { body } = answer
        if (!isRecord(body)) throw new CarrierRefused(explainAnswer(answer))
        const records = listAt(body, name).filter(isRecord)
        yield records
        const oldest = records.at(-1)
        if (oldest && createdAtOf(oldest) < since) return
        if (textAt(body, 'next_page_uri') === '') return
        const next = new URL(textAt(body, 'next_page_uri'), `${base}/`)
        // The check matters because the request carries the credentials.
        if (next.origin !== origin)
          throw new CarrierRefused("The next page of Twilio's list is on another host")
        request = { path: next.href }
      }
    },
    urlOf: (path) => account + path,
    credentialsFor: (url) => (url.origin === origin ? headers : {}),
  }
}

/** Returns the time when Twilio made a record. It is NaN if missing, which is neither before nor after anything. */
export function createdAtOf(record: Record<string, unknown>): number {
  return Date.parse(textAt(record, 'date_created'))
}
