import { createHmac } from 'node:crypto'

/**
 * The three headers of Standard Webhooks (https://www.standardwebhooks.com, symmetric signatures): receivers
 * verify with any of its libraries. During a rotation both secrets sign, separated by a space.
 *
 * @param secrets `whsec_…`, the current one first
 * @param timestampSeconds of this attempt; receivers refuse old ones
 */
export function signatureHeaders(
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}
