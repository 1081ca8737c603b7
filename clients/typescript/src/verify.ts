import { isObject } from './exchange.js'
import { EVENT_FIELDS, type WebhookEvent } from './generated.js'

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from now, in either direction. Default: five minutes. */
  toleranceSeconds?: number
  /** Milliseconds since 1970, for tests. */
  now?: () => number
}

/** The request is not from Linehook, is too old, or is not an event. Return 401 or 400. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError'
}

interface HeadersLike {
  get(name: string): string | null
}

type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

/** `Headers`, or what Node's `request.headers` is. */
export type WebhookHeaders = HeadersLike | HeaderFields

type Keys = string | readonly string[]

/**
 * Verifies the signature of an event (https://www.standardwebhooks.com) and reads it. An event may arrive more than
 * once: drop any with a `webhook-id` that you have seen. New types of events may be added: ignore those that you do not
 * know.
 *
 * @param rawBody the raw body; JSON that was parsed and written again may have other bytes
 * @param keys the signing secret (`whsec_…`) or the public key (`whpk_…`); several while one replaces another
 * @throws VerificationError
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  keys: Keys,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  await verifySignature(rawBody, headers, keys, options)
  return readEvent(rawBody)
}

/** Like `verify`, for an endpoint whose policy uses a body other than the six fields. */
export async function verifySignature(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  keys: Keys,
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<void> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,12}$/.test(timestamp)) throw new VerificationError('webhook-timestamp is not a time')
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new VerificationError('webhook-timestamp is too far from the current time')

  const content = concat(utf8(`${id}.${timestamp}.`), bytesOf(rawBody))
  for (const key of [keys].flat()) {
    const { kind, algorithm, bytes } = readKey(key)
    const cryptoKey = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
    for (const signature of signatures) {
      const signed = signature.startsWith(`${kind},`) ? base64(signature.slice(kind.length + 1)) : undefined
      // WebCrypto compares in constant time.
      if (signed !== undefined && (await crypto.subtle.verify(algorithm.name, cryptoKey, signed, content)))
        return
    }
  }
  throw new VerificationError('no signature in webhook-signature matches')
}

function readEvent(rawBody: string | Uint8Array): WebhookEvent {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch (cause) {
    throw new VerificationError('the body is not JSON', { cause })
  }
  if (!isObject(event)) throw new VerificationError('the body is not an object')
  for (const field of EVENT_FIELDS) {
    if (typeof event[field] !== 'string')
      throw new VerificationError(
        `the body has no ${field}; if the endpoint uses another shape, use verifySignature`,
      )
  }
  return event as unknown as WebhookEvent
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : valueOf(headers, name)
  if (typeof value !== 'string' || value === '') throw new VerificationError(`${name} is missing`)
  return value
}

function isHeaders(headers: WebhookHeaders): headers is HeadersLike {
  return typeof headers.get === 'function'
}

function valueOf(headers: HeaderFields, name: string): string | readonly string[] | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
}

/** v1 is an HMAC with the secret; v1a is a signature that anybody can verify. */
function readKey(key: string) {
  const [, prefix, rest = ''] = /^(whsec|whpk)_(.+)$/.exec(key) ?? []
  const bytes = base64(rest)
  if (prefix === undefined || bytes === undefined)
    throw new TypeError('a key must be whsec_… (the signing secret) or whpk_… (the public key)')
  return prefix === 'whpk'
    ? { kind: 'v1a', algorithm: { name: 'Ed25519' }, bytes }
    : { kind: 'v1', algorithm: { name: 'HMAC', hash: 'SHA-256' }, bytes }
}

function base64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? utf8(body) : body
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
