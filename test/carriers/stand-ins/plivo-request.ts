import { isHttpUrl } from './server.js'
import { smsParts } from './sms-length.js'

/** The arguments in the documentation of sending and in `plivo` 4.79.0 (`MessageInterface.send`), without WhatsApp's. */
const requestFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  src: isString,
  dst: isString,
  text: isString,
  powerpack_uuid: isString,
  type: (value) => value === 'sms' || value === 'mms',
  url: isHttpUrl,
  method: (value) => value === 'GET' || value === 'POST',
  media_urls: isStrings,
  media_ids: isStrings,
  log: (value) => [true, false, 'true', 'false', 'content_only', 'number_only'].includes(value as string),
  trackable: (value) => typeof value === 'boolean',
  message_expiry: (value) => Number.isInteger(value),
  dlt_entity_id: isString,
  dlt_template_id: isString,
  dlt_template_category: isString,
}

/** What the documentation does not allow, by itself and in combination. */
export function findWrongPlivo(body: Record<string, unknown>, number: string): string | undefined {
  for (const [field, value] of Object.entries(body)) {
    const isRight = requestFields[field]
    if (isRight === undefined) return `the API has no field '${field}'`
    if (!isRight(value)) return `'${field}' has a wrong value`
  }
  const { src, dst, text, powerpack_uuid: powerpack, type } = body
  if (dst === undefined || dst === '') return "'dst' is missing"
  if ((src === undefined) === (powerpack === undefined))
    return "exactly one of 'src' and 'powerpack_uuid' must be given"
  if (powerpack !== undefined) return `the account has no powerpack ${String(powerpack)}`
  // All but letters and digits is stripped from a sender; words as a sender are off by default.
  if (String(src).replace(/[^A-Za-z0-9]/g, '') !== number.slice(1))
    return `'src' ${String(src)} is not the account's`
  const media = [...((body['media_urls'] ?? []) as string[]), ...((body['media_ids'] ?? []) as string[])]
  if (type === 'mms' && media.length === 0) return "an MMS needs 'media_urls' or 'media_ids'"
  if (type !== 'mms' && media.length > 0) return "media need the type 'mms'"
  if (media.length > 10) return 'an MMS has at most ten media'
  if (type !== 'mms' && (text === undefined || text === '')) return "'text' is missing"
  if (isString(text)) {
    const limit = smsParts(text).encoding === 'GSM-7' ? 1_600 : 737
    if (text.length > limit) return `'text' has more than ${limit} characters`
  }
  return undefined
}

/** What is stripped from a recipient: / - . + ( ) and white space. */
export function sanitise(number: string): string {
  return number.replace(/[/\-.+()\s]/g, '')
}

export function isNumber(digits: string): boolean {
  return /^[1-9]\d{7,13}$/.test(digits)
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString)
}
