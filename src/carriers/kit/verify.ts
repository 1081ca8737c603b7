import { createHash, createHmac, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { isSameSecret } from '../../secrets.js'
import { isInRanges, parseRanges } from '../../safe-fetch.js'
import type { CallbackRequest } from '../callbacks.js'

/**
 * Ways in which providers show that a request is theirs. Each compares in constant time, and says no where the account
 * has no secret.
 */

/** How old what was signed may be, and how far ahead of our clock. Without such a bound a recorded request is good for ever. */
const MAX_AGE_MS = 5 * 60_000

/** Whether a moment is now: seconds or milliseconds since 1970, or a date. */
export function isFresh(written: string, now = Date.now()): boolean {
  const ms = /^\d+$/.test(written) ? Number(written) * (written.length > 11 ? 1 : 1000) : Date.parse(written)
  return Math.abs(now - ms) <= MAX_AGE_MS
}

export interface Hmac {
  algorithm?: 'sha1' | 'sha256' | 'sha512'
  encoding?: 'hex' | 'base64'
  secret: string | Buffer
  /** What the provider says that it signs: the body, or a text made of several things. */
  over: string | Buffer
  /** The signature that came. */
  given: string
}

/** Whether a signature is the HMAC, sha256 in hex by default. Hex may be in capitals. */
export function isHmac({ algorithm = 'sha256', encoding = 'hex', secret, over, given }: Hmac): boolean {
  if (secret.length === 0 || given === '') return false
  const expected = createHmac(algorithm, secret).update(over).digest(encoding)
  return isSameSecret(encoding === 'hex' ? given.toLowerCase() : given, expected)
}

/** The SHA-256 of a body in hex, which some sign instead of it. */
export function sha256Hex(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** What stands before the 32 bytes of an Ed25519 key to make it one that Node reads (RFC 8410 §4). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** An Ed25519 key of 32 bytes in base64 or hex; undefined for anything else. */
function readEd25519Key(written: string): KeyObject | undefined {
  const raw = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64')
  if (raw.length !== 32) return undefined
  return createPublicKey({ key: Buffer.concat([ED25519_PREFIX, raw]), format: 'der', type: 'spki' })
}

/** Whether a text is such a key. */
export function isEd25519Key(written: string): boolean {
  return readEd25519Key(written) !== undefined
}

/** Whether the owner of the key has signed. @param signature in base64 */
export function isEd25519(publicKey: string, over: string | Buffer, signature: string): boolean {
  const key = readEd25519Key(publicKey)
  const bytes = Buffer.from(signature, 'base64')
  return key !== undefined && bytes.length === 64 && verify(null, Buffer.from(over), key, bytes)
}

/** An RSA key in base64, as most show it between the lines of a PEM file; undefined for anything else. */
function readRsaKey(written: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(written, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is such a key. */
export function isRsaKey(written: string): boolean {
  return readRsaKey(written) !== undefined
}

/**
 * Whether the owner of the key has signed, with RSA and PKCS #1 v1.5.
 *
 * @param signed.digest SHA224, SHA256 or SHA512, also with a dash and in small letters
 * @param signed.signature in base64
 */
export function isRsa(signed: {
  publicKey: string
  digest: string
  over: Buffer
  signature: string
}): boolean {
  const digest = signed.digest.replace('-', '').toLowerCase()
  const key = readRsaKey(signed.publicKey)
  if (key === undefined || !/^sha(224|256|512)$/.test(digest)) return false
  return verify(digest, signed.over, key, Buffer.from(signed.signature, 'base64'))
}

/** Whether a header, or a parameter of the body, is the secret itself. */
export function isSecret(given: string, secret: string): boolean {
  return secret !== '' && isSameSecret(given, secret)
}

/** Whether the request carries `Authorization: Bearer <secret>`. */
export function hasBearer(request: CallbackRequest, secret: string): boolean {
  return isSecret(bearerOf(request), secret)
}

/** What stands behind `Bearer` in the Authorization header; '' where nothing does. */
export function bearerOf({ header }: CallbackRequest): string {
  return /^Bearer +(\S+)\s*$/i.exec(header('Authorization'))?.[1] ?? ''
}

/** Whether the request carries this user and password by HTTP's basic authentication. */
export function hasBasicAuth({ header }: CallbackRequest, user: string, password: string): boolean {
  const [, given = ''] = /^Basic +([\w+/=-]+)\s*$/i.exec(header('Authorization')) ?? []
  return isSecret(Buffer.from(given, 'base64').toString(), password === '' ? '' : `${user}:${password}`)
}

/**
 * Whether the request comes from one of these networks (`203.0.113.0/24`). It is to stand beside something that is secret:
 * behind a proxy that is not trusted, all requests come from the proxy.
 */
export function isFrom({ address }: CallbackRequest, networks: readonly string[]): boolean {
  return isInRanges(address, parseRanges(networks))
}
