import { SCOPES, type Scope } from '../../domain/applications/application-access.js'
import {
  answers,
  count,
  describe,
  sender,
  fieldsBody,
  flag,
  id,
  inQuery,
  listOf,
  object,
  oneOf,
  requiredInQuery,
  schemaOf,
  text,
  url,
  type Paths,
  type Schema,
} from './parts.js'
import { tooManyFields } from './problems.js'

const tags = ['OAuth']

/** The rights of each scope. */
const SENTENCES: Record<Scope, string> = {
  'messages:connect':
    'Receive the events of the {lines} that the user chooses, read their messages, and send from them.',
  'messages:write': 'Send from the {lines} that the user chooses.',
  'lines:read': "See all the user's {lines}.",
  'lines:write': 'Rename the {lines} that the application sees.',
  'contacts:read': "See the user's contacts.",
  'contacts:write': 'Name, block and unblock contacts.',
}

/** The scopes as the description has them: `{lines}:read`. */
export const SCOPE_SENTENCES = Object.fromEntries(
  Object.entries(SENTENCES).map(([scope, sentence]) => [scopeName(scope), sentence]),
)

export function scopeName(scope: string): string {
  return scope.replace(/^lines:/, '{lines}:')
}

export const oauthSchemas: Record<string, Schema> = {
  Token: object({
    access_token: text,
    token_type: oneOf('Bearer'),
    expires_in: { type: 'integer', minimum: 1 },
    refresh_token: describe(
      text,
      'Each use returns a new one. The old one works once more within 30 s. If it is used a third time, or after those 30 s, the authorization ends.',
    ),
    scope: describe(text, 'The granted scopes, separated by spaces.'),
    'connected_{lines}': describe(
      listOf(schemaOf('Connected{Line}')),
      'The {lines} that the user has connected.',
    ),
  }),
  'Connected{Line}': object({
    id,
    name: text,
    phoneNumber: sender,
    status: oneOf('active', 'disabled'),
    outgoing_webhook_url: describe(
      { type: ['string', 'null'], format: 'uri' },
      `The application's webhook URL, which receives the {line}'s events. For a public application only its origin.`,
    ),
  }),
  Introspection: object(
    {
      active: flag,
      client_id: id,
      sub: describe(id, 'The user.'),
      scope: text,
      token_type: describe(oneOf('Bearer'), 'Only for an access token.'),
      exp: describe(count, 'Seconds since 1970.'),
      iat: count,
      iss: url,
      aud: text,
    },
    ['client_id', 'sub', 'scope', 'token_type', 'exp', 'iat', 'iss', 'aud'],
  ),
  AuthorizationServer: object({
    issuer: url,
    authorization_endpoint: url,
    token_endpoint: url,
    revocation_endpoint: url,
    introspection_endpoint: url,
    jwks_uri: url,
    subject_types_supported: listOf(text),
    id_token_signing_alg_values_supported: listOf(text),
    scopes_supported: listOf(oneOf(...SCOPES.map(scopeName))),
    response_types_supported: listOf(text),
    response_modes_supported: listOf(text),
    grant_types_supported: listOf(text),
    token_endpoint_auth_methods_supported: listOf(text),
    revocation_endpoint_auth_methods_supported: listOf(text),
    introspection_endpoint_auth_methods_supported: listOf(text),
    code_challenge_methods_supported: listOf(text),
    authorization_response_iss_parameter_supported: flag,
    service_documentation: url,
  }),
  OAuthError: object({ error: text, error_description: text, scope: text }, ['error_description', 'scope']),
}

export function oauthPaths(): Paths {
  const wrong = answers('RFC 6749 §5.2.', schemaOf('OAuthError'))
  const faults = { 400: wrong, 401: wrong, 413: wrong, 415: wrong, 429: wrong, 503: wrong, ...tooManyFields }
  const credentials = {
    client_id: describe(
      text,
      'The credentials can also be sent with HTTP Basic, or both ways if they match.',
    ),
    client_secret: text,
  }
  const byCode = object(
    {
      grant_type: oneOf('authorization_code'),
      code: text,
      redirect_uri: describe(text, 'Optional. If present, it must match.'),
      code_verifier: describe(text, 'PKCE (RFC 7636). Required if a challenge was sent.'),
      ...credentials,
    },
    ['redirect_uri', 'code_verifier', 'client_id', 'client_secret'],
  )
  const byRefreshToken = object(
    {
      grant_type: oneOf('refresh_token'),
      refresh_token: text,
      scope: describe(text, 'Give scopes to request less than was granted.'),
      ...credentials,
    },
    ['scope', 'client_id', 'client_secret'],
  )
  const token = (operationId: string) => ({
    post: {
      operationId,
      tags,
      summary: 'Exchange a code or a refresh token for an access token',
      description:
        'The body is a form or JSON. A public application sends `client_id` and no secret. Unknown fields are ignored.',
      security: [],
      requestBody: fieldsBody({ oneOf: [byCode, byRefreshToken] }),
      responses: { 200: answers('The tokens.', schemaOf('Token')), ...faults },
    },
  })
  const metadata = (operationId: string) => ({
    get: {
      operationId,
      tags,
      summary: "The authorization server's metadata (RFC 8414)",
      security: [],
      description:
        'Lists the endpoints and the supported parts of OAuth. Both paths return the same document.',
      responses: { 200: answers('The metadata.', schemaOf('AuthorizationServer')), ...tooManyFields },
    },
  })
  const ofToken = fieldsBody(
    object({ token: text, token_type_hint: text, ...credentials }, [
      'token_type_hint',
      'client_id',
      'client_secret',
    ]),
  )
  return {
    '/oauth/authorize': {
      get: {
        operationId: 'authorize',
        tags,
        summary: 'Ask a user for authorization in their browser',
        description:
          "Send the user's browser here instead of calling it from a program. It returns to `redirect_uri` with a `code` or an " +
          '`error`.',
        security: [],
        parameters: [
          requiredInQuery('client_id', id, 'The ID of the application.'),
          requiredInQuery(
            'redirect_uri',
            url,
            'Must match a registered URI. A loopback address can have any port.',
          ),
          {
            ...requiredInQuery(
              'scope',
              text,
              'Scopes, separated by commas or spaces. Unknown ones are ignored.',
            ),
            examples: { both: { value: 'messages:write,messages:connect' } },
          },
          inQuery('state', text, 'Returned unchanged.'),
          inQuery('response_type', oneOf('code'), 'Optional.'),
          inQuery('{line}_id', id, `Requests access to this {line}, so the user does not choose one.`),
          inQuery('code_challenge', text, 'PKCE (RFC 7636). Public clients must send it.'),
          inQuery('code_challenge_method', oneOf('S256'), 'Only this method is supported.'),
        ],
        responses: {
          303: {
            description:
              'The browser is redirected to the consent page, or back to the application with an error.',
          },
          default: {
            description:
              'A page or JSON that explains why the browser cannot be sent back to the application.',
          },
          ...tooManyFields,
        },
      },
    },
    '/oauth/access': token('getToken'),
    '/oauth/token': token('getTokenByItsUsualPath'),
    '/v1/oauth/access': token('getTokenByItsLongPath'),
    '/oauth/revoke': {
      post: {
        operationId: 'revokeToken',
        tags,
        summary: 'Revoke an authorization by one of its tokens (RFC 7009)',
        description:
          'Its access token, its refresh token and all tokens derived from them stop working. An unknown token gets ' +
          'the same response.',
        security: [],
        requestBody: ofToken,
        responses: { 200: answers('The token no longer works.', object({})), ...faults },
      },
    },
    '/oauth/introspect': {
      post: {
        operationId: 'introspectToken',
        tags,
        summary: 'Introspect a token of your own application (RFC 7662)',
        description:
          'For a token of another application or an expired one, the response is only `active: false`.',
        security: [],
        requestBody: ofToken,
        responses: {
          200: answers('Whether the token works, and what it allows.', schemaOf('Introspection')),
          ...faults,
        },
      },
    },
    '/oauth/keys': {
      get: {
        operationId: 'getKeys',
        tags,
        summary: 'Get the keys of the authorization server, which has none',
        description: 'Nothing is signed with a key here. OpenID Connect clients expect the document.',
        security: [],
        responses: {
          200: answers('An empty set.', object({ keys: listOf(object({})) })),
          ...tooManyFields,
        },
      },
    },
    '/.well-known/oauth-authorization-server': metadata('getAuthorizationServer'),
    '/.well-known/openid-configuration': metadata('getAuthorizationServerByItsOtherName'),
  }
}
