/** What MessageMedia sends, and how it signs: https://messagemedia.github.io/documentation/#tag/Webhooks-Management */
import { createSign, generateKeyPair, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { WebhookRequest } from './messagemedia-request.js'
import { isRecord, sendCallback } from './server.js'
import type { CallbackAnswer, Forgery } from './stand-in.js'

export interface SignatureKey {
  keyId: string
  digest: 'SHA224' | 'SHA256' | 'SHA512'
  privateKey: KeyObject
  /** As the API answers it: base64 of the DER form, without the lines of a PEM file. */
  publicKey: string
  created: string
  isEnabled: boolean
}

export async function createKey(digest: SignatureKey['digest']): Promise<SignatureKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return {
    keyId: randomUUID(),
    digest,
    privateKey,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    created: new Date().toISOString(),
    isEnabled: false,
  }
}

/** The values that a template can name, by their names there. */
export type Values = Record<string, unknown>

/**
 * A template is one of Velocity. Of that language this knows what the documentation shows: `$name`, `$!name` (empty
 * rather than its own name if there is none), `$entry.name`, `$metadata.get('key')`, `$esc.json($!name)`, `#if` and
 * `#foreach`.
 */
export function render(template: string, values: Values): string {
  return renderBlock(template.split(/(#(?:if|foreach)\s*\([^)]*\)|#else|#end)/), 0, values).text
}

/** Renders up to the `#else` or the `#end` of the block that begins there. */
function renderBlock(parts: readonly string[], begin: number, values: Values): { text: string; end: number } {
  let [text, n] = ['', begin]
  for (; n < parts.length && parts[n] !== '#else' && parts[n] !== '#end'; n += 1) {
    const part = parts[n] ?? ''
    const [, loop, list] = /^#foreach\s*\(\s*\$(\w+) in \$(\w+)\s*\)$/.exec(part) ?? []
    const [, condition] = /^#if\s*\(\s*\$([\w.]+)\s*\)$/.exec(part) ?? []
    if (loop !== undefined && list !== undefined) {
      const items = Array.isArray(values[list]) ? (values[list] as unknown[]) : []
      for (const [index, item] of items.entries()) {
        const foreach = { hasNext: index < items.length - 1 }
        text += renderBlock(parts, n + 1, { ...values, [loop]: item, foreach }).text
      }
      n = renderBlock(parts, n + 1, values).end
    } else if (condition !== undefined) {
      const then = renderBlock(parts, n + 1, values)
      const hasElse = parts[then.end] === '#else'
      const otherwise = hasElse ? renderBlock(parts, then.end + 1, values) : { text: '', end: then.end }
      const value = valueAt(values, condition)
      text += (value === undefined || value === null || value === false ? otherwise : then).text
      n = otherwise.end
    } else {
      text += renderText(part, values)
    }
  }
  return { text, end: n }
}

function valueAt(values: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), values)
}

function renderText(template: string, values: Values): string {
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
  const pattern = /\$esc\.json\(\$!?(\w+)\)|\$!?metadata\.get\('([^']*)'\)|\$(!?)\{?(\w+(?:\.\w+)?)\}?/g
  return template.replace(
    pattern,
    (source: string, escaped?: string, key?: string, bang?: string, name?: string) => {
      if (key !== undefined) return isRecord(values.metadata) ? String(values.metadata[key] ?? '') : ''
      const value = valueAt(values, escaped ?? name ?? '')
      if (value === undefined || value === null) return bang === '!' ? '' : source
      return escaped === undefined ? text(value) : JSON.stringify(text(value)).slice(1, -1)
    },
  )
}

const types: Record<string, string> = {
  JSON: 'application/json',
  FORM_ENCODED: 'application/x-www-form-urlencoded',
  XML: 'application/xml',
}

export interface Delivery extends Pick<WebhookRequest, 'url' | 'method' | 'encoding' | 'headers'> {
  body: string
  /** The same with another content, for the forgery `other-body`. */
  otherBody: string
}

/**
 * The signature is that of the request line, the header Date and the body, one behind the other with nothing between;
 * PKCS #1 v1.5, as the official guides verify it (https://github.com/messagemedia/enterprise-webhooks-nodejs-sdk).
 * The guides and the OpenAPI description differ in how the digest is written: SHA256 and SHA-512.
 */
export async function deliver(
  delivery: Delivery,
  key: SignatureKey | undefined,
  hasDash: boolean,
  forgery: Forgery | undefined,
): Promise<CallbackAnswer> {
  const { url, method, encoding, body, otherBody } = delivery
  const { pathname, search } = new URL(url)
  const age = forgery === 'old' ? 3_600_000 : 0
  const date = new Date(Date.now() - age).toUTCString()
  const headers: Record<string, string> = {
    ...delivery.headers,
    'Content-Type': types[encoding] ?? 'application/json',
    Date: date,
  }
  if (key && forgery !== 'unsigned') {
    const signer = forgery === 'wrong-secret' ? await createKey(key.digest) : key
    const signed = `${method} ${pathname}${search} HTTP/1.1${date}${body}`
    headers['X-MessageMedia-Signature'] = createSign(key.digest)
      .update(signed)
      .sign(signer.privateKey, 'base64')
    headers['X-MessageMedia-Digest-Type'] = hasDash ? key.digest.replace('SHA', 'SHA-') : key.digest
    headers['X-MessageMedia-Cipher-Type'] = 'RSA'
    headers['X-MessageMedia-Key-Id'] = key.keyId
  }
  const answer = await sendCallback(url, {
    method,
    headers,
    body: forgery === 'other-body' ? otherBody : body,
  })
  return { ...answer, isSuccess: answer.status >= 200 && answer.status <= 299 }
}

/** Of a receipt's code: https://messagemedia.github.io/documentation/#tag/Delivery-Reports, in the order given there. */
export function statusOf(code: string): string {
  if (/^1(01|02|51)$/.test(code)) return 'enroute'
  if (/^2(00|10|11|12|13)$/.test(code)) return 'submitted'
  if (/^22[01]$/.test(code)) return 'delivered'
  if (code === '320' || code === '401') return 'expired'
  if (/^(30[1-5]|40[23]|41[0-4])$/.test(code)) return 'rejected'
  return 'failed'
}

/** As a template has it. */
interface Attachment {
  contentType: string
  base64: string
  originalName: string
}

function writeAttachment({ contentType, base64, originalName }: Attachment): object {
  return { content_type: contentType, content: base64, original_name: originalName }
}

/** The bodies that the templates shown in the documentation make, and that a webhook has here which has no template. */
export function defaultBody(event: string, values: Values): object {
  const { metadata = {}, sourceAddress, receivedTimestamp, messageId } = values
  const vendor_account_id = { vendor_id: 'MessageMedia', account_id: values.accountId }
  if (event.endsWith('_DR')) {
    return {
      delivery_report_id: values.drId,
      source_number: sourceAddress,
      date_received: receivedTimestamp,
      status: values.status,
      delay: '0',
      submitted_date: values.submittedTimestamp,
      message_id: messageId,
      original_text: values.mtContent,
      vendor_account_id,
      error_code: values.statusCode,
      metadata,
    }
  }
  return {
    ...(event === 'OPT_OUT_SMS' ? { notification_id: values.notificationId } : {}),
    account_id: values.accountId,
    ...(event === 'OPT_OUT_SMS' ? {} : { reply_id: values.moId }),
    destination_number: values.destinationAddress,
    source_number: sourceAddress,
    date_received: receivedTimestamp,
    message_id: messageId,
    ...(values.attachments === undefined
      ? { content: values.moContent }
      : { attachments: (values.attachments as Attachment[]).map(writeAttachment) }),
    metadata,
  }
}

/** What goes to the callback_url of the message itself: a form of its own, which no template changes. */
export function pushBody(event: string, values: Values, callbackUrl: string): object {
  const { metadata = {}, sourceAddress, receivedTimestamp, messageId } = values
  const vendor_account_id = { vendor_id: 'MessageMedia', account_id: values.accountId }
  if (event.endsWith('_DR')) {
    return {
      callback_url: callbackUrl,
      delivery_report_id: values.drId,
      source_number: sourceAddress,
      date_received: receivedTimestamp,
      status: values.status,
      delay: 0,
      billing_units: 1,
      submitted_date: values.submittedTimestamp,
      original_text: values.mtContent,
      message_id: messageId,
      vendor_account_id,
      error_code: values.statusCode,
      metadata,
    }
  }
  // The fields of a reply in https://messagemedia.github.io/documentation/#tag/Replies.
  return {
    metadata,
    message_id: messageId,
    reply_id: values.moId,
    date_received: receivedTimestamp,
    callback_url: callbackUrl,
    destination_number: values.destinationAddress,
    source_number: sourceAddress,
    vendor_account_id,
    content: values.moContent,
  }
}
