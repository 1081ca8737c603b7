import { CarrierOutcomeUnknown, CarrierRejected, CarrierThrottled, CarrierUnavailable } from '../carrier.js'
import type { Answer } from '../kit/answer.js'
import { textAt } from '../kit/reading.js'
import { readRetryAfter, withoutNumbers } from '../refusals.js'

/** Refusals that are about the pace, whatever their status: too many requests, or the number's own queue is full. */
const THROTTLED_CODES = new Set(['20429', '21611', '14107'])

/**
 * The account has sent as many messages as it may within 24 hours. The status is 429, but a short wait does not help:
 * https://www.twilio.com/docs/api/errors/63038
 */
const DAILY_LIMIT = '63038'

/**
 * The account is suspended, for example because its balance is used up: https://www.twilio.com/docs/api/errors/10001
 * and https://www.twilio.com/docs/api/errors/90010. Twilio's pages do not give the status of the answer.
 */
const SUSPENDED_CODES = new Set(['10001', '90010'])

/** Twilio is under maintenance, and a repeat succeeds afterwards: https://www.twilio.com/docs/api/errors/21730 */
const MAINTENANCE = '21730'
/** The Messaging Service cannot send at the moment: https://www.twilio.com/docs/api/errors/21702 */
const SERVICE_UNAVAILABLE = '21702'

/**
 * Converts Twilio's answer to a message that it did not take to one of the four errors.
 *
 * | answer | error | because | |---|---|---|
 * | 63038 | unavailable | the account has reached its daily limit: another account may send meanwhile |
 * | 429, or a code of the pace | throttled | "an API request that receives an error 429 response is never processed" |
 * | 401, 403, 404 with a code 20xxx or none, or any 4xx with a code of a suspended account | unavailable | it is about the account (token, SID, suspended): an operator fixes it, and the messages wait meanwhile |
 * | 21702, 21730 with any 4xx | unavailable | Twilio says that it took nothing, and to try again |
 * | 408 and anything but 4xx | outcome unknown | a server that failed may have taken it |
 * | any other 4xx | rejected | it is about the message |
 */
export function errorOfAnswer(answer: Answer, now = Date.now()): Error {
  const { status } = answer
  const { code, message } = readRefusal(answer)
  const words = message === '' ? (explainCode(code) ?? `Twilio returned HTTP ${status}`) : message
  if (code === DAILY_LIMIT) return new CarrierUnavailable(withoutNumbers(words))
  if (status === 429 || THROTTLED_CODES.has(code)) {
    return new CarrierThrottled(readRetryAfter(answer.headers['retry-after'], now))
  }
  if (status < 400 || status >= 500 || status === 408) {
    return new CarrierOutcomeUnknown(`Twilio returned HTTP ${status}`)
  }
  if (code === MAINTENANCE || code === SERVICE_UNAVAILABLE) {
    // A Messaging Service is a line, and other lines of the account send all the same.
    return new CarrierUnavailable(withoutNumbers(words), { isOfLine: code === SERVICE_UNAVAILABLE })
  }
  const isOfAccount =
    SUSPENDED_CODES.has(code) || ([401, 403, 404].includes(status) && /^(20\d{3})?$/.test(code))
  if (isOfAccount) return new CarrierUnavailable(explainAnswer(answer))
  return new CarrierRejected(withoutNumbers(words), code === '' ? undefined : code, isOptOut(code))
}

/** Explains an answer to a request other than one for a message. */
export function explainAnswer(answer: Answer): string {
  const { status } = answer
  const { code, message } = readRefusal(answer)
  const said = message === '' ? '' : ` It says: ${withoutNumbers(message)}${code === '' ? '' : ` (${code})`}`
  switch (status) {
    case 401:
      return `Twilio rejected the account SID or auth token. Copy both from the Twilio console.${said}`
    case 403:
      return `Twilio does not allow this for the account. Check its status in the Twilio console.${said}`
    case 404:
      return `Twilio did not find this account SID or the requested resource. Copy the SID from the Twilio console.${said}`
    case 429:
      return 'Twilio is rate limiting. Try again in a minute.'
  }
  if (status >= 500)
    return `Twilio returned HTTP ${status}. Try again in a minute, and check its status page.`
  if (status >= 400) return `Twilio refused the request (${status}).${said}`
  return `The server that responded to ${status} is not Twilio's API. Check apiUrl.`
}

function readRefusal({ body }: Answer): { code: string; message: string } {
  return { code: textAt(body, 'code'), message: textAt(body, 'message').slice(0, 500) }
}

/** The recipient has texted STOP, and Twilio sends them no more messages from this number. */
const OPTED_OUT = '21610'

export function isOptOut(code: string): boolean {
  return code === OPTED_OUT
}

/** Twilio's codes in words, for those that its answer or its callback gives by number only. */
const WORDS: Record<string, string> = {
  [OPTED_OUT]: 'the recipient has opted out (STOP)',
  21614: 'the number cannot receive text messages',
  [SERVICE_UNAVAILABLE]: 'the Messaging Service cannot send at the moment',
  [MAINTENANCE]: 'Twilio is under maintenance',
  30001: "the number's queue at Twilio overflowed",
  30002: 'the account at Twilio is suspended',
  30003: 'the phone cannot be reached: it is off or has no service',
  30004: 'the message was blocked: the recipient has blocked the line or cannot receive such messages',
  30005: 'the number no longer exists',
  30006: 'the number is a landline, or its carrier cannot be reached',
  30007: 'Twilio or the carrier filtered the message as unwanted',
  30008: 'the carrier gave no reason',
  30009: 'part of the message was lost in transit',
  30010: "the message costs more than the account's price limit",
  [DAILY_LIMIT]: 'the account has reached its daily limit of messages',
  30034: 'the number is not registered for application messaging (A2P 10DLC)',
}

export function explainCode(code: string): string | undefined {
  return Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
}
