import { isHttpUrl, isRecord } from './server.js'

/** Which of the 422s of the Messages API, and what is wrong. */
export interface Wrong {
  kind: 'json' | 'channel' | 'sender' | 'recipient' | 'type' | 'parameters' | 'reference'
  sentence: string
  field?: string
}

const media = ['image', 'vcard', 'audio', 'video', 'file']

/** channelOptionsSms, channelOptionsMms, outboundMessageCommon and Failover of Vonage's OpenAPI file 1.20.0. */
const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  message_type: isString,
  channel: isString,
  to: isString,
  from: isString,
  text: isString,
  client_ref: isString,
  webhook_url: isHttpUrl,
  webhook_version: (value) => value === 'v1' || value === 'v0.1',
  ttl: (value) => Number.isInteger(value),
  trusted_sender: (value) => typeof value === 'boolean',
  trusted_recipient: (value) => typeof value === 'boolean',
  failover: Array.isArray,
}
const smsSettings: Readonly<Record<string, (value: unknown) => boolean>> = {
  encoding_type: (value) => value === 'text' || value === 'unicode' || value === 'auto',
  content_id: isString,
  entity_id: isString,
  pool_id: isString,
}

/**
 * What is wrong in a request to send by SMS or MMS, by https://developer.vonage.com/en/api/messages. `number` is the
 * account's own, without +.
 */
export function findWrongMessage(body: Record<string, unknown>, number: string): Wrong | undefined {
  const { channel, message_type: type, to, from, text, client_ref: reference, ttl } = body
  if (channel !== 'sms' && channel !== 'mms') {
    return { kind: 'channel', sentence: `The channel ${String(channel)} is not sms or mms.` }
  }
  const types = channel === 'sms' ? ['text'] : ['text', 'content', ...media]
  if (!types.includes(type as string)) {
    return { kind: 'type', sentence: `The message type ${String(type)} is not one of ${types.join(', ')}.` }
  }
  const contentField = type as string
  for (const [field, value] of Object.entries(body)) {
    if (field === contentField || field === channel) continue
    const isRight = fields[field]
    if (isRight === undefined || (field === 'text' && contentField !== 'text')) {
      return parameter(field, `There is no field ${field} in a message of type ${contentField}.`)
    }
    if (field !== 'to' && field !== 'from' && field !== 'client_ref' && !isRight(value)) {
      return parameter(field, `${field} has a wrong value.`)
    }
  }
  // Neither + nor 00 before the country's code, 7 to 15 digits.
  if (!isString(to) || !/^[1-9]\d{6,14}$/.test(to)) {
    return { kind: 'recipient', sentence: `to is ${String(to)}, not E.164 without +.` }
  }
  const isWords = isString(from) && /^(?=.*[a-z])[a-z0-9 ]{1,11}$/i.test(from) && channel === 'sms'
  if (from !== number && !isWords) {
    return {
      kind: 'sender',
      sentence: `from is ${String(from)}, not the account's number without + nor words.`,
    }
  }
  if (reference !== undefined && (!isString(reference) || reference.length > 100)) {
    return { kind: 'reference', sentence: 'The client reference can be a string of up to 100 characters.' }
  }
  const [least, most] = channel === 'sms' ? [20, 604_800] : [300, 259_200]
  if (typeof ttl === 'number' && (ttl < least || ttl > most)) {
    return parameter('ttl', `ttl must be from ${least} to ${most}.`)
  }
  return findWrongSettings(body, channel) ?? findWrongContent(body, contentField, channel === 'sms', text)
}

function findWrongSettings(body: Record<string, unknown>, channel: 'sms' | 'mms'): Wrong | undefined {
  const settings = body[channel]
  if (settings === undefined) return undefined
  if (!isRecord(settings)) return parameter(channel, `${channel} must be an object.`)
  for (const [name, value] of Object.entries(settings)) {
    const isRight =
      channel === 'sms' ? smsSettings[name] : name === 'participants' ? Array.isArray : undefined
    if (isRight === undefined || !isRight(value)) {
      return parameter(`${channel}.${name}`, `${channel}.${name} is unknown or has a wrong value.`)
    }
  }
  return undefined
}

function findWrongContent(
  body: Record<string, unknown>,
  type: string,
  isSms: boolean,
  text: unknown,
): Wrong | undefined {
  if (type === 'text') {
    if (!isString(text) || text === '') return parameter('text', 'text is required.')
    // 3200 since some version of the file; older pages have 1000.
    return isSms && text.length > 3_200 ? parameter('text', 'text has more than 3200 characters.') : undefined
  }
  const parts = type === 'content' ? body['content'] : [body[type]]
  if (!Array.isArray(parts) || parts.length === 0) return parameter(type, `${type} is required.`)
  for (const part of parts as unknown[]) {
    if (!isRecord(part) || !isHttpUrl(part['url']))
      return parameter(`${type}.url`, `${type} needs an address.`)
    const { caption } = part
    if (caption !== undefined && (!isString(caption) || caption === '' || caption.length > 3_000)) {
      return parameter(`${type}.caption`, 'A caption has 1 to 3000 characters.')
    }
    const known = ['url', 'caption', ...(type === 'content' ? ['type'] : [])]
    const unknown = Object.keys(part).find((name) => !known.includes(name))
    if (unknown !== undefined) return parameter(`${type}.${unknown}`, `${type} has no field ${unknown}.`)
    if (type === 'content' && !media.includes(part['type'] as string)) {
      return parameter('content.type', `The type of a content must be one of ${media.join(', ')}.`)
    }
  }
  return undefined
}

function parameter(field: string, sentence: string): Wrong {
  return { kind: 'parameters', sentence, field }
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
