/**
 * What httpSMS takes as a message to send: https://docs.httpsms.com/ and the OpenAPI description at
 * https://api.httpsms.com/index.html. The rules that the description leaves out (lengths, forms of numbers) are those
 * of the service's own code, https://github.com/NdoleStudio/httpsms (api/pkg/validators, api/pkg/requests).
 */
import { isRecord, parseJson } from './server.js'
import type { ApiRequest } from './server.js'

export const docs = 'https://docs.httpsms.com/'
export const openApi = 'https://api.httpsms.com/index.html'

export interface CheckedMessage {
  from: string
  to: string
  content: string
  attachments: string[]
  encrypted: boolean
  requestId: string | null
  sendAt: string | null
}

/** Why it is refused: 400 for a body that cannot be read, 422 with the sentences of each field for all else. */
export type Refusal = { status: 400; data: unknown } | { status: 422; data: Record<string, string[]> }

/** The service writes numbers as E.164 itself: it takes them with blanks and dashes, and long ones without +. */
function toE164(number: string): string {
  const trimmed = number.trim()
  const withPlus = /^\d{10,}$/.test(trimmed) ? `+${trimmed}` : trimmed
  return withPlus.startsWith('+') ? `+${withPlus.slice(1).replace(/[^\d]/g, '')}` : withPlus
}

export function checkMessage(
  request: ApiRequest,
  ownNumbers: readonly string[],
  violate: (sentence: string, url: string) => void,
): CheckedMessage | Refusal {
  if (request.contentType !== 'application/json') {
    violate('A message is sent as application/json.', openApi)
    return { status: 400, data: {} }
  }
  const body = parseJson(request.body.toString('utf8'))?.value
  if (!isRecord(body)) {
    violate('A message is a JSON object.', openApi)
    return { status: 400, data: { Offset: 1 } }
  }
  const types: Record<string, (value: unknown) => boolean> = {
    from: (value) => typeof value === 'string',
    to: (value) => typeof value === 'string',
    content: (value) => typeof value === 'string',
    attachments: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    encrypted: (value) => typeof value === 'boolean',
    request_id: (value) => typeof value === 'string',
    send_at: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value),
  }
  const data: Record<string, string[]> = {}
  const fail = (field: string, sentence: string): void => {
    violate(sentence, openApi)
    data[field] = [...(data[field] ?? []), sentence]
  }
  for (const [name, value] of Object.entries(body)) {
    const isRight = Object.hasOwn(types, name) ? types[name] : undefined
    if (!isRight) fail(name, `There is no field ${name}.`)
    else if (value !== null && !isRight(value)) {
      violate(`The field ${name} is of a wrong type.`, openApi)
      return { status: 400, data: { Field: name } }
    }
  }
  const text = (name: string): string => (typeof body[name] === 'string' ? body[name] : '')
  const from = toE164(text('from'))
  const to = toE164(text('to'))
  const content = text('content')
  const attachments = (Array.isArray(body.attachments) ? (body.attachments as string[]) : [])
    .map((attachment) => attachment.trim())
    .filter((attachment) => attachment !== '')

  if (to === '') fail('to', 'The to field is required')
  if (!/^\+?\d{2,15}$/.test(to)) {
    fail('to', 'The to field must contain only digits and must be less than 14 characters')
  }
  if (from === '') fail('from', 'The from field is required')
  if (!/^\+[1-9]\d{5,14}$/.test(from)) {
    fail(
      'from',
      'The from field must be a valid E.164 phone number in the international format e.g +18005550100',
    )
  }
  if (content === '') fail('content', 'The content field is required')
  if (Array.from(content).length > 2048)
    fail('content', 'The content field may not be greater than 2048 char')
  if (text('request_id').trim().length > 255) {
    fail('request_id', 'The request_id field may not be greater than 255 char')
  }
  if (attachments.length > 10) fail('attachments', 'The attachments field may not be greater than 10')
  attachments.forEach((attachment, index) => {
    if (!/^https?:\/\/[^/]/.test(attachment)) {
      fail('attachments', `The attachment ${index} with URL [${attachment}] must be a valid URL`)
    }
  })
  const sendAt = text('send_at') === '' ? null : text('send_at')
  if (Object.keys(data).length > 0) return { status: 422, data }

  if (sendAt && Date.parse(sendAt) > Date.now() + 480 * 3_600_000) {
    fail('send_at', 'the scheduled time cannot be more than 20 days (480 hours) in the future')
  }
  if (!ownNumbers.includes(from)) {
    const advice = 'install the android app on your phone to start sending messages'
    fail('from', `no phone found with with 'from' number [${from}]. ${advice}`)
  }
  if (Object.keys(data).length > 0) return { status: 422, data }
  const requestId = text('request_id').trim() === '' ? null : text('request_id').trim()
  return { from, to, content, attachments, encrypted: body.encrypted === true, requestId, sendAt }
}

const events = [
  ...['message.phone.received', 'message.phone.sent', 'message.phone.delivered', 'message.send.failed'],
  ...['message.send.expired', 'message.call.missed', 'phone.heartbeat.offline', 'phone.heartbeat.online'],
]

export interface WebhookRequest {
  url: string
  signing_key: string
  phone_numbers: string[]
  events: string[]
}

/** https://docs.httpsms.com/webhooks/introduction */
export function checkWebhook(
  request: ApiRequest,
  ownNumbers: readonly string[],
  violate: (sentence: string, url: string) => void,
): WebhookRequest | Refusal {
  const body = parseJson(request.body.toString('utf8'))?.value
  if (request.contentType !== 'application/json' || !isRecord(body)) {
    violate('A webhook is a JSON object of type application/json.', openApi)
    return { status: 400, data: {} }
  }
  const data: Record<string, string[]> = {}
  const fail = (field: string, sentence: string): void => {
    violate(sentence, 'https://docs.httpsms.com/webhooks/introduction')
    data[field] = [...(data[field] ?? []), sentence]
  }
  const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
  const known = ['signing_key', 'url', 'phone_numbers', 'events']
  for (const name of Object.keys(body)) if (!known.includes(name)) fail(name, `There is no field ${name}.`)
  const signingKey = typeof body.signing_key === 'string' ? body.signing_key.trim() : ''
  const url = typeof body.url === 'string' ? body.url.trim() : ''
  const numbers = list(body.phone_numbers).map(toE164)
  if (signingKey.length > 255) fail('signing_key', 'The signing_key field may not be greater than 255 char')
  if (!/^https?:\/\/\S+$/.test(url) || url.length > 255) fail('url', 'The url field format is invalid')
  if (list(body.events).length === 0) fail('events', 'The events field is an empty array')
  for (const event of list(body.events)) {
    if (!events.includes(event)) fail('events', `The events field has an invalid event [${event}]`)
  }
  if (numbers.length === 0) fail('phone_numbers', 'The phone_numbers field is required')
  for (const number of numbers) {
    if (!ownNumbers.includes(number)) {
      fail('from', `The phone number [${number}] is not available in your account.`)
    }
  }
  if (Object.keys(data).length > 0) return { status: 422, data }
  return { url, signing_key: signingKey, phone_numbers: numbers, events: list(body.events) }
}
