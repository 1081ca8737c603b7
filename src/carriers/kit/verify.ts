import { createHash, createHmac, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { isSameSecret } from '../../secrets.js'
import type { CallbackRequest } from '../callbacks.js'

/**
 * Checks that a request is from a provider. Each compares in constant time, and fails if the account has no secret.
 */

/**
 * The greatest age of a signed time, and the furthest that it may be ahead of our clock. Without such a bound a
 * recorded request is valid forever.
 */
const MAX_AGE_MS = 5 * 60_000

/** True if a moment is now: seconds or milliseconds since 1970, or a date. */
export function isFresh(written: string, now = Date.now()): boolean {
  const ms = /^\d+$/.test(written) ? Number(written) * (written.length > 11 ? 1 : 1000) : Date.parse(written)
  return Math.abs(now - ms) <= MAX_AGE_MS
}

export interface Hmac {
  algorithm?: 'sha1' | 'sha256' | 'sha512'
  encoding?: 'hex' | 'base64'
  secret: string | Buffer
  /** The content that the provider signs: the body, or a text made of several parts. */
  over: string | Buffer
  /** The signature in the request. */
  given: string
}

/** True if a signature is the HMAC, sha256 in hex by default. Hex may be in capitals. */
export function isHmac({ algorithm = 'sha256', encoding = 'hex', secret, over, given }: Hmac): boolean {
  if (secret.length === 0 || given === '') return false
  const expected = createHmac(algorithm, secret).update(over).digest(encoding)
  return isSameSecret(encoding === 'hex' ? given.toLowerCase() : given, expected)
}

/** The SHA-256 of a body in hex, which some providers sign instead of the body. */
export function sha256Hex(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** The prefix that turns the 32 bytes of an Ed25519 key into one that Node can read (RFC 8410 §4). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** Reads an Ed25519 key of 32 bytes in base64 or hex; undefined for anything else. */
function readEd25519Key(written: string): KeyObject | undefined {
  const raw = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64')
  if (raw.length !== 32) return undefined
  return createPublicKey({ key: Buffer.concat([ED25519_PREFIX, raw]), format: 'der', type: 'spki' })
}

/** True if a text is such a key. */
export function isEd25519Key(written: string): boolean {
  return readEd25519Key(written) !== undefined
}

/**
 * True if the owner of the key has signed.
 *
 * @param signature in base64
 */
export function isEd25519(publicKey: string, over: string | Buffer, signature: string): boolean {
  const key = readEd25519Key(publicKey)
  const bytes = Buffer.from(signature, 'base64')
  return key !== undefined && bytes.length === 64 && verify(null, Buffer.from(over), key, bytes)
}

/**
 * Reads an RSA key in base64, as most providers show it between the lines of a PEM file; undefined for anything else.
 */
function readRsaKey(written: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(written, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined
  }
}

/** True if a text is such a key. */
export function isRsaKey(written: string): boolean {
  return readRsaKey(written) !== undefined
}

/**
 * True if the owner of the key has signed, with RSA and PKCS #1 v1.5.
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

/** True if a header, or a parameter of the body, is the secret itself. */
export function isSecret(given: string, secret: string): boolean {
  return secret !== '' && isSameSecret(given, secret)
}

/** True if the request carries `Authorization: Bearer <secret>`. */
export function hasBearer(request: CallbackRequest, secret: string): boolean {
  return isSecret(bearerOf(request), secret)
}

/** Returns the text after `Bearer` in the Authorization header; '' if there is none. */
export function bearerOf({ header }: CallbackRequest): string {
  return /^Bearer +(\S+)\s*$/i.exec(header('Authorization'))?.[1] ?? ''
}

/** True if the request carries this user and password by HTTP basic authentication. */
export function hasBasicAuth({ header }: CallbackRequest, user: string, password: string): boolean {
  const [, given = ''] = /^Basic +([\w+/=-]+)\s*$/i.exec(header('Authorization')) ?? []
  return isSecret(Buffer.from(given, 'base64').toString(), password === '' ? '' : `${user}:${password}`)
}
