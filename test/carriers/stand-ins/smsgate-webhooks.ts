/** The webhooks of SMSGate: how they are registered, written and signed. https://docs.sms-gate.app/features/webhooks/ */
import { createHmac, randomBytes } from 'node:crypto'
import { isRecord, parseJson, sendCallback } from './server.js'
import type { ApiRequest } from './server.js'
import type { CallbackAnswer, Forgery } from './stand-in.js'

const docs = 'https://docs.sms-gate.app/features/webhooks/'

/** https://docs.sms-gate.app/features/webhooks/#supported-events: there is none for calls. */
const events = [
  ...['sms:received', 'sms:data-received', 'mms:received', 'mms:downloaded', 'sms:sent', 'sms:delivered'],
  ...['sms:failed', 'sms:cancelled', 'system:ping', 'app:started'],
]

export interface Webhook {
  id: string
  deviceId: string | null
  url: string
  event: string
}

export const nanoId = (length = 21): string => randomBytes(length).toString('base64url').slice(0, length)

/** `2026-02-18T02:05:00.000+07:00`, in a phone's own time zone. */
export function isoIn(date: Date, hours: number): string {
  const shifted = new Date(date.getTime() + hours * 3_600_000).toISOString().slice(0, -1)
  return `${shifted}+${String(hours).padStart(2, '0')}:00`
}

interface Context {
  isLocal: boolean
  deviceId: string
  allowHttp: boolean
  violate(sentence: string, url: string): void
}

export function checkWebhook(request: ApiRequest, context: Context): Webhook | { refusal: string } {
  const { isLocal, deviceId, allowHttp } = context
  const violate = (sentence: string, url: string): void => {
    context.violate(sentence, url)
  }
  const body = parseJson(request.body.toString('utf8'))?.value
  if (request.contentType !== 'application/json' || !isRecord(body)) {
    violate('A webhook is registered with a JSON object of type application/json.', docs)
    return { refusal: 'failed to parse body' }
  }
  const known = ['id', 'url', 'event', 'deviceId', 'device_id']
  const unknown = Object.keys(body).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    violate(`A webhook has no field "${unknown}".`, docs)
    return { refusal: 'failed to validate' }
  }
  const { id, event } = body
  const url = typeof body.url === 'string' ? body.url : ''
  if (typeof event !== 'string' || !events.includes(event)) {
    violate(`There is no event ${JSON.stringify(event)}; a webhook is for one event.`, docs)
    return { refusal: 'failed to validate: validation failed: invalid event type' }
  }
  const isOwnHost = isLocal && /^http:\/\/127\.0\.0\.1[:/]/.test(url)
  if (!/^https:\/\//i.test(url) && !isOwnHost && !(allowHttp && /^http:\/\//i.test(url))) {
    violate('A webhook needs an https address (the phone itself also takes http://127.0.0.1).', docs)
    return { refusal: 'failed to validate: validation failed: url must start with https://' }
  }
  // The guide writes device_id, the OpenAPI description and the code deviceId.
  const wanted = body.deviceId ?? body.device_id ?? null
  if (wanted !== null && wanted !== deviceId) return { refusal: 'device not found' }
  return { id: typeof id === 'string' && id !== '' ? id : nanoId(), deviceId: wanted && deviceId, url, event }
}

/** Gson, with which the app writes, escapes these characters for HTML and leaves out what is null. */
const gson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (inner === null ? undefined : inner)).replace(
    /[<>&='\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export interface Event {
  id: string
  webhookId: string
  deviceId: string
  event: string
  payload: object
}

/** https://docs.sms-gate.app/features/webhooks/#payload-signing: hex(HMAC-SHA256(key, raw body + timestamp)). */
export async function deliver(
  url: string,
  { deviceId, event, id, payload, webhookId }: Event,
  signingKey: string,
  forgery: Forgery | undefined,
): Promise<CallbackAnswer> {
  // The app's classes have their fields in the order of the alphabet, and those of a base class last.
  const body = gson({ deviceId, event, id, payload, webhookId })
  const otherBody = gson({ deviceId, event, id: nanoId(), payload, webhookId })
  const timestamp = String(Math.floor(Date.now() / 1000) - (forgery === 'old' ? 3600 : 0))
  const key = forgery === 'wrong-secret' ? nanoId(8) : signingKey
  const signature = createHmac('sha256', key)
    .update(body + timestamp)
    .digest('hex')
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'me.capcom.smsgateway/1.68.0',
    ...(forgery === 'unsigned' ? {} : { 'X-Timestamp': timestamp, 'X-Signature': signature }),
  }
  const answer = await sendCallback(url, { headers, body: forgery === 'other-body' ? otherBody : body })
  return { ...answer, isSuccess: answer.status >= 200 && answer.status <= 299 }
}

/** A part of an MMS: https://docs.sms-gate.app/features/mms/. */
export async function readAttachment(mediaUrl: string, index: number): Promise<{ size: number }> {
  const response = await fetch(mediaUrl)
  const bytes = Buffer.from(await response.arrayBuffer())
  const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
  const name = mediaUrl.startsWith('data:') ? `part${index}` : mediaUrl.split('/').pop()
  const data = bytes.toString('base64')
  return { contentType, data, name, partId: index + 1, size: bytes.length } as { size: number }
}
