import { createHmac, createPrivateKey, createPublicKey, hkdfSync, sign, type KeyObject } from 'node:crypto'
import type { SignatureKind } from '../../../database/endpoints/policy.js'

/**
 * Makes the three headers of Standard Webhooks (https://www.standardwebhooks.com): receivers verify with any of its
 * libraries. During a rotation both secrets sign, separated by a space.
 *
 * @param secrets `whsec_…`, the current one first
 * @param timestampSeconds the time of this attempt; receivers refuse old ones
 * @param kinds `v1` signs with the secret, `v1a` with the key pair that belongs to it
 */
export function signatureHeaders(
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
  kinds: readonly SignatureKind[] = ['v1'],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const content = `${id}.${timestampSeconds}.${body}`
  const signatures = kinds.flatMap((kind) =>
    secrets.map((secret) => `${kind},${SIGNERS[kind](secret, content).toString('base64')}`),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

const SIGNERS: Record<SignatureKind, (secret: string, content: string) => Buffer> = {
  v1: (secret, content) => createHmac('sha256', bytesOf(secret)).update(content).digest(),
  v1a: (secret, content) => sign(null, Buffer.from(content), privateKeyOf(secret)),
}

/** Returns `whpk_…`, with which `v1a` signatures can be verified but not made. */
export function publicKeyOf(secret: string): string {
  const { x = '' } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The key is derived from the secret (RFC 5869), so that rotating the secret also rotates the key pair, with the same
 * overlap.
 */
function privateKeyOf(secret: string): KeyObject {
  const seed = hkdfSync('sha256', bytesOf(secret), Buffer.alloc(0), 'linehook webhook ed25519', 32)
  const key = Buffer.concat([PKCS8_HEAD, Buffer.from(seed)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}
