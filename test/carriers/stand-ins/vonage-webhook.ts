import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { smsParts } from './sms-length.js'
import type { ReceivedMessage, TakenMessage } from './stand-in.js'

/** Of the errors of a status: https://developer.vonage.com/api-errors/messages */
const details: Readonly<Record<string, string>> = {
  '1000': 'Throttled',
  '1040': 'Invalid message',
  '1050': 'Number barred',
  '1070': 'Provider quota exceeded',
  '1120': 'Illegal Sender Address - rejected',
  '1170': 'Invalid recipient',
  '1210': 'Anti-Spam Rejection',
  '1240': 'Illegal Number',
  '1260': 'Destination unreachable',
  '1330': 'Delivery failed',
}

/** messageStatusSMS and messageStatusMMS of the OpenAPI file 1.20.0 */
export function statusOf(
  message: TakenMessage & { channel: 'sms' | 'mms' },
  state: 'sent' | 'delivered' | 'failed',
  code: string,
): Record<string, unknown> {
  const error = {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: code,
    detail: details[code] ?? 'Delivery failed',
    instance: randomBytes(16).toString('hex'),
  }
  return {
    message_uuid: message.id,
    to: message.to,
    from: message.from,
    timestamp: timestamp(),
    status: { sent: 'submitted', delivered: 'delivered', failed: 'rejected' }[state],
    ...(state === 'failed' ? { error } : {}),
    ...(message.reference === undefined ? {} : { client_ref: message.reference }),
    channel: message.channel,
    destination: { network_code: '12345' },
    ...(message.channel === 'sms'
      ? { sms: { count_total: String(smsParts(message.text ?? '').parts) } }
      : {}),
    usage: { currency: 'EUR', price: '0.0333' },
  }
}

/** inboundMessageSMS and inboundMessageMMS of the OpenAPI file 1.20.0. The numbers have no +. */
export function inbound(message: ReceivedMessage, number: string): Record<string, unknown> {
  const urls = message.mediaUrls ?? []
  const common = {
    channel: urls.length > 0 ? 'mms' : 'sms',
    message_uuid: message.id ?? randomUUID(),
    to: (message.to ?? number).replace(/^\+/, ''),
    from: message.from.replace(/^\+/, ''),
    timestamp: timestamp(),
  }
  const origin = { network_code: '12345' }
  if (urls.length > 0) {
    const caption = message.text === '' ? {} : { caption: message.text }
    return {
      ...common,
      origin,
      message_type: 'image',
      image: { url: urls[0], name: 'image.jpg', ...caption },
      // Only where there is more than one.
      ...(urls.length > 1 ? { content: urls.map((url) => ({ type: 'image', url })) } : {}),
    }
  }
  return {
    ...common,
    text: message.text,
    sms: {
      num_messages: String(smsParts(message.text).parts),
      keyword: (message.text.trim().split(/\s+/, 1)[0] ?? '').toUpperCase(),
    },
    usage: { currency: 'EUR', price: '0.0333' },
    origin,
  }
}

/** A JWT with HS256, the only algorithm of webhooks of the Messages API. */
export function signToken(claims: object, secret: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** ISO 8601 without fractions, as in the examples. */
function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z')
}
