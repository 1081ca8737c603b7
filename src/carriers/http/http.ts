import { MAX_CARRIER_TIMEOUT_MS } from '../../config.js'
import { parseExactly } from '../../kit/text/exact-json.js'
import { FetchFailed, type SafeFetch, type SafeResponse } from '../../safe-fetch.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
} from '../carrier.js'
import type { CarrierTools } from '../kind.js'
import {
  errorOfFailure,
  explainBlockedCarrier,
  MAX_REASON_LENGTH,
  readRetryAfter,
  withoutNumbers,
} from '../refusals.js'
import { textAt } from './json-path.js'
import type { HttpSettings } from './settings.js'
import { fillBody } from './template.js'

/** An answer has an id or a reason in it, beside whatever else. If it is cut off, the id cannot be read from it. */
const MAX_ANSWER_BYTES = 64 * 1024

/** A carrier that takes one POST for each message. */
export function createHttp(
  { name }: { name: string },
  settings: HttpSettings,
  { http }: Pick<CarrierTools, 'http'>,
): CarrierClient {
  const headers = {
    Accept: 'application/json',
    'Content-Type': settings.format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    ...readHeaders(settings.headers),
  }
  return {
    name,
    async send({ id, fromNumber, toNumber, text, mediaUrl }, signal) {
      const values = { from: fromNumber, to: toNumber, text, mediaUrl, id }
      const answer = await post(
        http,
        settings,
        headers,
        fillBody(settings.body, settings.format, values),
        signal,
      )
      if (answer.status < 200 || answer.status > 299) throw errorOf(answer, settings)
      const carrierMessageId = settings.idField === '' ? id : textAt(readJson(answer), settings.idField)
      // It may have taken the message: without its id no report would ever find it.
      if (carrierMessageId === '') throw new CarrierOutcomeUnknown(`the answer has no ${settings.idField}`)
      return { carrierMessageId }
    },
    async test(signal) {
      try {
        const { status } = await http.request(settings.url, { method: 'GET', headers, signal, ...LIMITS })
        return status === 401 || status === 403
          ? `The carrier answers ${status}: look at the headers of the account.`
          : undefined
      } catch (error) {
        if (!(error instanceof FetchFailed)) throw error
        return `The carrier could not be reached. ${explainBlockedCarrier(error)}`
      }
    },
    close: () => Promise.resolve(),
  }
}

/** The caller's signal ends a request sooner; this is for one that comes without. */
const LIMITS = { timeoutMs: MAX_CARRIER_TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES }

async function post(
  http: SafeFetch,
  { url }: HttpSettings,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<SafeResponse> {
  try {
    return await http.request(url, { method: 'POST', headers, body, signal, ...LIMITS })
  } catch (error) {
    throw errorOfFailure(error, signal)
  }
}

/**
 * | answer | error | because |
 * |---|---|---|
 * | 429 | throttled | RFC 6585 §4 |
 * | 401, 403, 404, 405 | unavailable | it is about the account or its URL: an operator mends it, and the messages wait meanwhile |
 * | 408, 3xx, 5xx | outcome unknown | a server that failed may have taken it |
 * | any other 4xx | rejected | it is about the message |
 */
function errorOf(answer: SafeResponse, { errorField }: HttpSettings): Error {
  const { status } = answer
  if (status === 429) return new CarrierThrottled(readRetryAfter(answer.headers['retry-after'], Date.now()))
  if ([401, 403, 404, 405].includes(status)) {
    return new CarrierUnavailable(`the carrier answered ${status}: look at the account's URL and headers`)
  }
  if (status < 400 || status >= 500 || status === 408) {
    return new CarrierOutcomeUnknown(`the carrier answered ${status}`)
  }
  const said = withoutNumbers(textAt(readJson(answer), errorField)).slice(0, MAX_REASON_LENGTH)
  return new CarrierRejected(said === '' ? `the carrier answered ${status}` : said, String(status))
}

function readJson({ body, truncated }: SafeResponse): unknown {
  if (truncated) return undefined
  try {
    return parseExactly(body.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readHeaders(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trim()]
      }),
  )
}
