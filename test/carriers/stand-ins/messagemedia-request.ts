/** What MessageMedia takes: who may ask, and what a message and a webhook are. */
import { createHash, createHmac } from 'node:crypto'
import { fieldFaults, isRecord, parseJson } from './server.js'
import type { ApiAnswer, ApiRequest } from './server.js'

export const docs = 'https://messagemedia.github.io/documentation/'
export const sendDocs = `${docs}#tag/Messages/operation/SendMessages`

/**
 * Basic, or `hmac username="…", algorithm="hmac-sha256", headers="Date Content-MD5 request-line", signature="…"`:
 * https://messagemedia.github.io/documentation/#tag/HMAC-Authentication. The official npm package, no longer looked
 * after, signs with hmac-sha1 and names its digest x-Content-MD5; that is taken too.
 */
export function isAuthorized(request: ApiRequest, apiKey: string, apiSecret: string): boolean {
  const header = request.headers.authorization ?? ''
  if (/^basic /i.test(header)) {
    return Buffer.from(header.slice(6), 'base64').toString('utf8') === `${apiKey}:${apiSecret}`
  }
  if (!/^hmac /i.test(header)) return false
  const part = (name: string): string => new RegExp(`${name}\\s*=\\s*"([^"]*)"`, 'i').exec(header)?.[1] ?? ''
  const algorithm = { 'hmac-sha256': 'sha256', 'hmac-sha1': 'sha1' }[part('algorithm')]
  const names = part('headers').split(' ')
  const has = (name: string): boolean =>
    names.some((other) => other.toLowerCase().replace(/^x-/, '') === name)
  const isWhole = has('date') && has('request-line') && (request.body.length === 0 || has('content-md5'))
  if (algorithm === undefined || !isWhole || part('username') !== apiKey) return false
  const digest = request.headers['content-md5'] ?? request.headers['x-content-md5']
  if (has('content-md5') && digest !== createHash('md5').update(request.body).digest('hex')) return false
  const query = request.query.size === 0 ? '' : `?${request.query.toString()}`
  const lines = names.map((name) =>
    name === 'request-line'
      ? `${request.method} ${request.path}${query} HTTP/1.1`
      : `${name}: ${String(request.headers[name.toLowerCase()] ?? '')}`,
  )
  const expected = createHmac(algorithm, apiSecret).update(lines.join('\n')).digest('base64')
  return part('signature') === expected
}

export interface Message {
  content: string
  destination_number: string
  callback_url?: string
  delivery_report?: boolean
  format?: string
  message_expiry_timestamp?: string
  metadata?: Record<string, string>
  scheduled?: string
  source_number?: string
  source_number_type?: string
  media?: string[]
  subject?: string
}

const fields = {
  content: 'string',
  destination_number: 'string',
  callback_url: 'string',
  delivery_report: 'boolean',
  format: 'string',
  message_expiry_timestamp: 'string',
  metadata: 'object',
  scheduled: 'string',
  source_number: 'string',
  source_number_type: 'string',
  media: 'array',
  subject: 'string',
} as const

/** Each fault as `/messages/0/destination_number: …`, the form of `details` in a refusal. */
export function checkMessages(request: ApiRequest): { messages: Message[] } | { faults: string[] } {
  if (request.contentType !== 'application/json') return { faults: ['the body is of type application/json.'] }
  const body = parseJson(request.body.toString('utf8'))?.value
  if (!isRecord(body)) return { faults: ['the body is a JSON object.'] }
  const faults = fieldFaults(body, { messages: 'array' }, ['messages']).map(({ fault }) => `/: ${fault}.`)
  const list = Array.isArray(body.messages) ? (body.messages as unknown[]) : []
  if (list.length < 1 || list.length > 100) faults.push('/messages: there must be 1 to 100 messages.')
  list.forEach((message, index) => {
    const path = `/messages/${index}`
    if (!isRecord(message)) return void faults.push(`${path}: a message is an object.`)
    for (const { property, fault } of fieldFaults(message, fields, ['content', 'destination_number'])) {
      faults.push(`${path}/${property}: ${fault}.`)
    }
    for (const [property, fault] of faultsOf(message)) faults.push(`${path}/${property}: ${fault}.`)
  })
  return faults.length > 0 ? { faults } : { messages: list as Message[] }
}

function faultsOf(message: Record<string, unknown>): [string, string][] {
  const faults: [string, string][] = []
  const check = (property: string, isRight: boolean, fault: string): void => {
    if (message[property] !== undefined && !isRight) faults.push([property, fault])
  }
  const text = (property: string): string => String(message[property] ?? '')
  const isUrl = (url: unknown): boolean => /^https?:\/\/\S+$/.test(String(url))
  const isTime = (time: string): boolean =>
    /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) && !Number.isNaN(Date.parse(time))
  const length = Array.from(text('content')).length
  check('content', length >= 1 && length <= 5000, 'Content must have 1 to 5000 characters')
  const isNumber = /^\+[1-9]\d{7,14}$/.test(text('destination_number'))
  const sentence = "International address must be between 8 and 15 characters excluding the first '+'"
  check('destination_number', isNumber, `${sentence}, International address contains invalid characters`)
  check('callback_url', isUrl(message.callback_url), 'A callback URL is an http or https address')
  check('format', ['SMS', 'MMS', 'TTS'].includes(text('format')), 'The format is SMS, MMS or TTS')
  check('scheduled', isTime(text('scheduled')), 'A time is ISO 8601 in UTC')
  check('message_expiry_timestamp', isTime(text('message_expiry_timestamp')), 'A time is ISO 8601 in UTC')
  const types = ['INTERNATIONAL', 'ALPHANUMERIC', 'SHORTCODE']
  check(
    'source_number_type',
    types.includes(text('source_number_type')),
    `The type is one of ${types.join(', ')}`,
  )
  check('source_number_type', message.source_number !== undefined, 'A type needs a source_number')
  check('subject', Array.from(text('subject')).length <= 64, 'A subject has up to 64 characters')
  const media = Array.isArray(message.media) ? (message.media as unknown[]) : []
  check('media', message.format === 'MMS', 'Media need the format MMS')
  check('media', media.length > 0 && media.every(isUrl), 'Media are a list of addresses')
  const pairs = isRecord(message.metadata) ? Object.entries(message.metadata) : []
  const isRight = ([key, value]: [string, unknown]): boolean =>
    key.length <= 100 && typeof value === 'string' && value.length <= 256
  check(
    'metadata',
    pairs.length <= 10 && pairs.every(isRight),
    'Metadata are up to 10 pairs of 100 and 256 characters',
  )
  return faults
}

const events = [
  ...['RECEIVED_SMS', 'OPT_OUT_SMS', 'RECEIVED_MMS', 'ENROUTE_DR', 'EXPIRED_DR', 'REJECTED_DR', 'FAILED_DR'],
  ...['DELIVERED_DR', 'SUBMITTED_DR'],
]

export interface WebhookRequest {
  url: string
  method: string
  encoding: string
  events: string[]
  headers?: Record<string, string>
  template?: string
  read_timeout?: number
  retries?: number
  retry_delay?: number
}

/** https://messagemedia.github.io/documentation/#tag/Webhooks-Management/operation/CreateWebhook */
export function checkWebhook(
  request: ApiRequest,
  isWhole: boolean,
): { webhook: Partial<WebhookRequest> } | { fault: string } {
  const body = parseJson(request.body.toString('utf8'))?.value
  if (request.contentType !== 'application/json' || !isRecord(body))
    return { fault: 'A webhook is a JSON object.' }
  const [fault] = fieldFaults(
    body,
    {
      url: 'string',
      method: 'string',
      encoding: 'string',
      events: 'array',
      headers: 'object',
      template: 'string',
      read_timeout: 'integer',
      retries: 'integer',
      retry_delay: 'integer',
    },
    isWhole ? ['url', 'method', 'encoding', 'events'] : [],
  )
  if (fault) return { fault: `In a webhook ${fault.fault}.` }
  const webhook = body as Partial<WebhookRequest>
  const isIn = (value: number | undefined, min: number, max: number): boolean =>
    value === undefined || (value >= min && value <= max)
  const { url, method = 'POST', encoding = 'JSON', headers = {} } = webhook
  if (url !== undefined && (!/^https?:\/\/\S+$/.test(url) || url.length > 1000))
    return { fault: 'The url is invalid.' }
  if (!['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].includes(method))
    return { fault: `There is no method ${method}.` }
  if (!['JSON', 'FORM_ENCODED', 'XML'].includes(encoding))
    return { fault: `There is no encoding ${encoding}.` }
  const unknown = webhook.events?.find((event) => !events.includes(event))
  if (unknown !== undefined || webhook.events?.length === 0)
    return { fault: `There is no event ${unknown ?? 'given'}.` }
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) {
    return { fault: 'The headers have a Content-Type.' }
  }
  if (!isIn(webhook.read_timeout, 1, 60000)) return { fault: 'read_timeout is 1 to 60000 milliseconds.' }
  if (!isIn(webhook.retries, 0, 5)) return { fault: 'retries is 0 to 5.' }
  if (!isIn(webhook.retry_delay, 5, 60)) return { fault: 'retry_delay is 5 to 60 seconds.' }
  return { webhook }
}

export const json = (status: number, body: unknown): ApiAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
})
export const badRequest = (details: string[]): ApiAnswer => {
  const message = 'Request failed to parse correctly. Please ensure input is valid and try again.'
  return json(400, { message, details })
}
export const notFound = (): ApiAnswer => json(404, { message: 'Resource not found.' })
export const bodyOf = (request: ApiRequest): Record<string, unknown> => {
  const value = parseJson(request.body.toString('utf8'))?.value
  return isRecord(value) ? value : {}
}
