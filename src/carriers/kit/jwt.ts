import { isSameSecret } from '../../secrets.js'
import { isRecord } from './reading.js'
import { isFresh, isHmac, sha256Hex } from './verify.js'

/** Clocks may differ by this much. */
const LEEWAY_SECONDS = 30

/**
 * Returns the claims of a JWT that is signed with the secret by HS256 and is valid now (RFC 7519 §4.1): not after
 * `exp`, not before `nbf`, and made within the last five minutes if it has `iat`. Another algorithm is refused,
 * whatever the token says: with "none" anyone could make one.
 *
 * @returns undefined if it is not such a token
 */
export function readJwt(
  token: string,
  secret: string,
  now = Date.now(),
): Readonly<Record<string, unknown>> | undefined {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || parsePart(header)?.alg !== 'HS256') return undefined
  const given = Buffer.from(signature, 'base64url').toString('hex')
  if (!isHmac({ secret, over: `${header}.${payload}`, given })) return undefined
  const claims = parsePart(payload)
  if (claims === undefined) return undefined
  const { exp, nbf, iat } = claims
  const seconds = now / 1000
  const isOver = exp !== undefined && !(Number(exp) + LEEWAY_SECONDS >= seconds)
  const isEarly = nbf !== undefined && !(Number(nbf) - LEEWAY_SECONDS <= seconds)
  const isOld = iat !== undefined && !isFresh(String(Math.trunc(Number(iat))), now)
  // A token with neither would be valid forever.
  return isOver || isEarly || isOld || (exp === undefined && iat === undefined) ? undefined : claims
}

/** True if a claim is the SHA-256 of the body in hex. Without it the token would be valid for any body. */
export function claimsBody(claims: Readonly<Record<string, unknown>>, name: string, body: Buffer): boolean {
  const claim = claims[name]
  return typeof claim === 'string' && isSameSecret(claim.toLowerCase(), sha256Hex(body))
}

function parsePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isRecord(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
