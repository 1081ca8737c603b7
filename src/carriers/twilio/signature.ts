import { isSameSecret } from '../../secrets.js'
import { isHmac, sha256Hex } from '../kit/verify.js'

/** A callback's form fields; repeated ones are a list. */
export type CallbackParameters = Record<string, string | string[]>

export interface SignedRequest {
  /** The URL that Twilio was given: `PUBLIC_URL` and the request's path and query, never its Host header. */
  url: string
  parameters: CallbackParameters
  body: Buffer
  signature: string
}

/**
 * True if a request was signed with the auth token (https://www.twilio.com/docs/usage/security): HMAC-SHA1 over the
 * URL and, sorted by name, each parameter's name and value; if the URL has a `bodySHA256`, it is over the URL alone,
 * and the body must have that hash.
 */
export function isSignedByTwilio(
  authToken: string,
  { url, parameters, body, signature }: SignedRequest,
): boolean {
  const bodyHash = new URL(url).searchParams.get('bodySHA256')
  if (bodyHash !== null) {
    const isWhole = isSameSecret(bodyHash.toLowerCase(), sha256Hex(body))
    return isWhole && isSigned(authToken, url, '', signature)
  }
  const sorted = Object.keys(parameters)
    .sort()
    .flatMap((name) => valuesOf(parameters[name] ?? []).map((value) => name + value))
    .join('')
  return isSigned(authToken, url, sorted, signature)
}

function isSigned(authToken: string, url: string, parameters: string, signature: string): boolean {
  const wanted = { algorithm: 'sha1', encoding: 'base64', secret: authToken, given: signature } as const
  return spellings(url).some((each) => isHmac({ ...wanted, over: each + parameters }))
}

function valuesOf(value: string | string[]): string[] {
  return [...new Set([value].flat())].sort()
}

/** Twilio signs some URLs without their port and some with the default port. */
function spellings(url: string): string[] {
  const [, scheme = '', host = '', port = '', rest = ''] =
    /^(https?:\/\/)(\[[^\]]*\]|[^/:?]*)(:\d+)?(.*)/is.exec(url) ?? []
  const usualPort = scheme === 'https://' ? ':443' : ':80'
  return [...new Set([url, scheme + host + rest, scheme + host + (port === '' ? usualPort : port) + rest])]
}
