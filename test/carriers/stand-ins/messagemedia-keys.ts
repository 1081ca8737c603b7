/** https://messagemedia.github.io/documentation/#tag/Signature-Key-Management: one key at a time is enabled, and signs. */
import { badRequest, bodyOf, json, notFound } from './messagemedia-request.js'
import { createKey } from './messagemedia-webhooks.js'
import type { SignatureKey } from './messagemedia-webhooks.js'
import type { ApiAnswer, ApiRequest } from './server.js'

export async function handleKeys(
  request: ApiRequest,
  id: string | undefined,
  keys: SignatureKey[],
  violate: (sentence: string) => void,
): Promise<ApiAnswer> {
  const view = (key: SignatureKey, withPublic = false): object => ({
    key_id: key.keyId,
    ...(withPublic ? { public_key: key.publicKey } : {}),
    cipher: 'RSA',
    digest: key.digest,
    created: key.created,
    enabled: key.isEnabled,
  })
  const enabled = keys.find((key) => key.isEnabled)
  if (request.method === 'POST' && id === undefined) {
    const { digest: wanted, cipher } = bodyOf(request)
    if ((wanted !== 'SHA224' && wanted !== 'SHA256' && wanted !== 'SHA512') || cipher !== 'RSA') {
      violate('A signature key has a digest SHA224, SHA256 or SHA512 and the cipher RSA.')
      return badRequest(['/digest: unknown.'])
    }
    const key = await createKey(wanted)
    keys.push(key)
    return json(201, view(key, true))
  }
  if (id === 'enabled' && request.method === 'PATCH') {
    const key = keys.find(({ keyId }) => keyId === bodyOf(request).key_id)
    if (!key) return notFound()
    for (const other of keys) other.isEnabled = other === key
    return json(200, view(key))
  }
  if (id === 'enabled' && request.method === 'DELETE' && enabled) {
    enabled.isEnabled = false
    return { status: 204 }
  }
  if (request.method !== 'GET') return notFound()
  if (id === undefined)
    return json(
      200,
      keys.map((key) => view(key)),
    )
  const key = id === 'enabled' ? enabled : keys.find(({ keyId }) => keyId === id)
  return key ? json(200, view(key)) : notFound()
}
