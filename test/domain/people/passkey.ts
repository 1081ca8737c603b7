import { generateKeyPairSync, sign } from 'node:crypto'
import { insertPasskey } from '../../../src/database/people/second-factors/passkeys.js'
import type { Context } from '../../../src/domain/context.js'
import { relyingPartyOf } from '../../../src/domain/people/second-factors/relying-party.js'
import { newId } from '../../../src/ids.js'
import { newToken, sha256 } from '../../../src/secrets.js'

/**
 * Gives a user a passkey whose private key is here.
 *
 * @returns what a browser answers to a challenge
 */
export async function createPasskey(
  context: Context,
  userId: string,
): Promise<(challenge: string) => string> {
  const { publicKey, privateKey } = newKeys()
  const id = newToken()
  await insertPasskey(context.db, {
    ...{ id: newId(), userId, name: 'my phone', credentialId: id, counter: 0, transports: [] },
    publicKey,
  })
  const { id: rpId, origin } = relyingPartyOf(context)
  return (challenge) => {
    const client = JSON.stringify({ type: 'webauthn.get', challenge, origin })
    // The flags say that the user was present and verified; a counter follows (WebAuthn §6.1).
    const authenticator = Buffer.concat([sha256(rpId), Buffer.from('0500000001', 'hex')])
    const signature = sign('sha256', Buffer.concat([authenticator, sha256(client)]), privateKey)
    const response = {
      clientDataJSON: Buffer.from(client).toString('base64url'),
      authenticatorData: authenticator.toString('base64url'),
      signature: signature.toString('base64url'),
    }
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }
}

/** What a browser answers when it has made a passkey. @param transports what it says about how that is reached */
export function answerNewPasskey(context: Context, challenge: string, transports: unknown): string {
  const { id: rpId, origin } = relyingPartyOf(context)
  const id = newToken()
  const client = JSON.stringify({ type: 'webauthn.create', challenge, origin })
  // The flags say that the user was present and verified, and that a key follows (WebAuthn §6.1, §6.5.1).
  const authenticator = Buffer.concat([
    sha256(rpId),
    Buffer.from('4500000000', 'hex'),
    Buffer.alloc(16),
    Buffer.from('0020', 'hex'),
    Buffer.from(id, 'base64url'),
    newKeys().publicKey,
  ])
  // CBOR: nobody vouches for the authenticator (WebAuthn §8.7).
  const attestation = Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
    Buffer.from([authenticator.length]),
    authenticator,
  ])
  const response = {
    clientDataJSON: Buffer.from(client).toString('base64url'),
    attestationObject: attestation.toString('base64url'),
    transports,
  }
  return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
}

/** The public key is in COSE (RFC 9053 §7.1): an elliptic curve, ES256, P-256, x and y. */
function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const parts = [
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]
  return { publicKey: Buffer.concat(parts), privateKey }
}
