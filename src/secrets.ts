import { createCipheriv, createDecipheriv, createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Secrets at rest. A token that only needs to be recognized is stored as its SHA-256 (it has 256 random bits, so a slow
 * hash adds nothing). A secret that its owner may see again is sealed: AES-256-GCM under a fresh data key, which is
 * itself wrapped by the operator's key (envelope), so that a change of ENCRYPTION_KEY re-wraps 32 bytes a row. The
 * associated data names the row: a sealed value copied to another row does not open.
 */
export interface Secrets {
  /** @param place names the table, column and row, for example `incoming_webhooks.token:<line id>` */
  seal(plain: string, place: string): Buffer
  /** @throws SecretUnreadable if its key is not in ENCRYPTION_KEY, or the value was changed or moved */
  open(sealed: Buffer, place: string): string
  /**
   * Seals the same secret under the first key: its data key is wrapped anew.
   *
   * @returns undefined if it is under the first key already
   * @throws SecretUnreadable as `open` does
   */
  reseal(sealed: Buffer, place: string): Buffer | undefined
}

export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable'
}

const FORMAT = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const WRAPPED_AT = 1 + KEY_ID_BYTES
const CONTENT_AT = WRAPPED_AT + NONCE_BYTES + 32 + TAG_BYTES

export function createSecrets(keys: readonly Buffer[]): Secrets {
  const [current] = keys
  if (current === undefined) throw new Error('createSecrets needs a key')
  const byId = new Map(keys.map((key) => [keyName(key), key]))

  const unwrap = (sealed: Buffer, place: string) => {
    if (sealed[0] !== FORMAT) throw new SecretUnreadable('the sealed value has an unknown format')
    if (sealed.length < CONTENT_AT + NONCE_BYTES + TAG_BYTES) {
      throw new SecretUnreadable('the sealed value was cut short')
    }
    const name = sealed.subarray(1, 1 + KEY_ID_BYTES).toString('hex')
    const key = byId.get(name)
    if (key === undefined) {
      throw new SecretUnreadable(`ENCRYPTION_KEY has no key ${name}, which sealed this value`)
    }
    return {
      isCurrent: key.equals(current),
      dataKey: decrypt(key, sealed.subarray(WRAPPED_AT, CONTENT_AT), place),
    }
  }

  return {
    seal(plain, place) {
      const dataKey = randomBytes(32)
      return Buffer.concat([wrap(current, dataKey, place), encrypt(dataKey, Buffer.from(plain), place)])
    },
    open(sealed, place) {
      const { dataKey } = unwrap(sealed, place)
      return decrypt(dataKey, sealed.subarray(CONTENT_AT), place).toString()
    },
    reseal(sealed, place) {
      const { isCurrent, dataKey } = unwrap(sealed, place)
      if (isCurrent) return undefined
      return Buffer.concat([wrap(current, dataKey, place), sealed.subarray(CONTENT_AT)])
    },
  }
}

function wrap(key: Buffer, dataKey: Buffer, place: string): Buffer {
  return Buffer.concat([Buffer.of(FORMAT), keyId(key), encrypt(key, dataKey, place)])
}

/** A token of 256 random bits, safe in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A signing secret as Standard Webhooks writes it: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export function sha256(value: string): Buffer {
  return hash('sha256', value, 'buffer')
}

/** Compares in constant time; the lengths of the values need not be equal. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected))
}

/** The name of a key in the values that it sealed, in hex. It reveals nothing about the key. */
export function keyName(key: Buffer): string {
  return keyId(key).toString('hex')
}

/** SQL that gives the name of the key that sealed a value. */
export const KEY_NAME_SQL = `encode(substring(sealed from 2 for ${KEY_ID_BYTES}), 'hex')`

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('linehook key id').update(key).digest().subarray(0, KEY_ID_BYTES)
}

function encrypt(key: Buffer, plain: Buffer, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, sealed: Buffer, place: string): Buffer {
  const cipherEnd = sealed.length - TAG_BYTES
  // The caller has checked the length, so the tag is complete. Node would accept one of only 4 bytes.
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(cipherEnd))
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, cipherEnd))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch (error) {
    // GCM fails for no other reason, whatever OpenSSL calls it.
    throw new SecretUnreadable('the sealed value was changed or moved', { cause: error })
  }
}
