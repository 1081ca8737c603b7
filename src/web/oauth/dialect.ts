import { isScope } from '../../domain/applications/application-access.js'
import { UserError } from '../../errors.js'
import type { Vocabulary } from '../../vocabulary.js'

/**
 * Translates what real clients send for oidc-provider. A parameter without a value counts as not sent (RFC 6749
 * §3.1), an unknown one is ignored, and a repeated one stays repeated, which is refused.
 */
export type Parameters = Partial<Record<string, string | string[]>>

const OF_AUTHORIZATION = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'line_id',
]

const OF_TOKEN = [
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'client_id',
  'client_secret',
  'refresh_token',
  'scope',
  'token',
  'token_type_hint',
]

/** Returns the parameters of GET /oauth/authorize. */
export function readAuthorization(vocabulary: Vocabulary, sent: Record<string, unknown>): Parameters {
  const { [vocabulary.idParameter]: lineId, ...others } = sent
  const canonical = lineId === undefined ? others : { ...others, line_id: lineId }
  const parameters = pick(vocabulary, canonical, OF_AUTHORIZATION)
  return { response_type: 'code', ...parameters }
}

/** Returns the parameters of the token endpoint and its neighbours, from a form or a JSON object. */
export function readTokenRequest(vocabulary: Vocabulary, sent: Record<string, unknown>): Parameters {
  return pick(vocabulary, sent, OF_TOKEN)
}

/**
 * Reads the client's credentials. Basic and body together count as one if they are equal; Basic without a secret only
 * names the client. A header of another scheme is not credentials: some clients send the old access token with every
 * request.
 *
 * @param authorization the `Authorization` header
 * @returns the credentials from both
 * @throws UserError 400 if they differ
 */
export function readCredentials(
  authorization: string,
  parameters: Parameters,
): { authorization: string; parameters: Parameters } {
  if (!/^Basic\b/i.test(authorization)) return { authorization: '', parameters }
  const basic = /^Basic +([\w+/-]+=*)$/i.exec(authorization)?.[1]
  if (basic === undefined) return { authorization, parameters }
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? []
  // Without an id these are no credentials, which is answered with 401 (RFC 6749 §5.2).
  if (id === '') return { authorization: '', parameters }
  if (secret === '') return { authorization: '', parameters: { client_id: decode(id), ...parameters } }
  const { client_secret: inBody, ...others } = parameters
  if (inBody === undefined) return { authorization, parameters }
  if (inBody !== secret && inBody !== decode(secret)) {
    throw new UserError('client_secret in the body differs from the one in the Authorization header')
  }
  return { authorization, parameters: others }
}

export function encode(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  return new URLSearchParams(pairs).toString()
}

function pick(vocabulary: Vocabulary, sent: Record<string, unknown>, names: readonly string[]): Parameters {
  const parameters: Parameters = {}
  for (const name of names) {
    const values = (Object.hasOwn(sent, name) ? [sent[name]].flat() : [])
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .map((value) => (name === 'scope' ? readScope(vocabulary, String(value)) : String(value)))
      .filter((value) => value !== '')
    if (values.length > 0) parameters[name] = values.length === 1 ? values[0] : values
  }
  return parameters
}

/**
 * Reads scopes that are separated by comma, space or both, in any accepted word, and returns them separated by one
 * space. Unknown scopes beside a known one are left out: clients also request scopes that only another product has.
 */
function readScope(vocabulary: Vocabulary, written: string): string {
  const parts = written.split(/[\s,]+/).filter((each) => each !== '')
  const scopes = [...new Set(parts.map((each) => vocabulary.canonicalScope(each)))]
  const known = scopes.filter(isScope)
  return (known.length > 0 ? known : scopes).join(' ')
}

/** By RFC 6749 §2.3.1 both are encoded as in a form. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) return part
    throw error
  }
}
