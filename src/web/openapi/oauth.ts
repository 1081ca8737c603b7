import { SCOPES, type Scope } from '../../domain/application-access.js'
import {
  answers,
  describe,
  fieldsBody,
  id,
  inQuery,
  listOf,
  object,
  oneOf,
  text,
  url,
  type Paths,
  type Schema,
} from './parts.js'
import type { Words } from './words.js'

const tags = ['OAuth']

/** What each scope allows, in the product word. */
export function describeScopes({ vocabulary, lines }: Words): Record<string, string> {
  const sentences: Record<Scope, string> = {
    'messages:connect': `Receive the events of the ${lines} that the user chooses, read their messages, and send from them.`,
    'messages:write': `Send from the ${lines} that the user chooses.`,
    'lines:read': `See all of the user's ${lines}.`,
  }
  return Object.fromEntries(SCOPES.map((scope) => [vocabulary.scope(scope), sentences[scope]]))
}

/** The security of an operation that applications may do too, with one of the scopes. */
export function orApplication({ vocabulary }: Words, ...scopes: readonly Scope[]) {
  return [{ apiToken: [] }, ...scopes.map((scope) => ({ application: [vocabulary.scope(scope)] }))]
}

export function oauthSchemas({ vocabulary, line, Line }: Words): Record<string, Schema> {
  return {
    Token: object({
      access_token: text,
      token_type: oneOf('Bearer'),
      expires_in: { type: 'integer', minimum: 1 },
      refresh_token: describe(
        text,
        'Used once: the answer has the next one. A second use ends the authorization.',
      ),
      scope: describe(text, 'As granted, with a space between two.'),
      [vocabulary.connectedField]: describe(
        listOf({ $ref: `#/components/schemas/Connected${Line}` }),
        `The ${line}s that the user has connected.`,
      ),
    }),
    [`Connected${Line}`]: object({
      id,
      name: text,
      phoneNumber: text,
      status: oneOf('active', 'disabled'),
      outgoing_webhook_url: describe(
        { type: ['string', 'null'], format: 'uri' },
        `Where the ${line}'s events go: the application's webhook URL.`,
      ),
    }),
    OAuthError: object({ error: text, error_description: text, scope: text }, ['error_description', 'scope']),
  }
}

export function oauthPaths(words: Words): Paths {
  const { vocabulary, line } = words
  const wrong = answers('RFC 6749 §5.2.', { $ref: '#/components/schemas/OAuthError' })
  const faults = { 400: wrong, 401: wrong, 413: wrong, 415: wrong, 429: wrong, 503: wrong }
  const credentials = {
    client_id: describe(text, 'Or by HTTP Basic, or both when they are equal.'),
    client_secret: text,
  }
  const token = (operationId: string) => ({
    post: {
      operationId,
      tags,
      summary: 'Exchange a code or a refresh token for an access token',
      security: [],
      requestBody: fieldsBody(
        object(
          {
            grant_type: oneOf('authorization_code', 'refresh_token'),
            code: text,
            redirect_uri: describe(text, 'May be left out; must match when it is there.'),
            code_verifier: text,
            refresh_token: text,
            scope: text,
            ...credentials,
          },
          ['code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'client_id', 'client_secret'],
        ),
      ),
      responses: { 200: answers('The tokens.', { $ref: '#/components/schemas/Token' }), ...faults },
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
        summary: 'Ask a user for an authorization, in their browser',
        security: [],
        parameters: [
          { ...inQuery('client_id', text, "The application's id."), required: true },
          { ...inQuery('redirect_uri', url, 'One that is registered, to the letter.'), required: true },
          {
            ...inQuery('scope', text, 'With commas or spaces between them.'),
            required: true,
            examples: { both: { value: 'messages:write,messages:connect' } },
          },
          inQuery('state', text, 'Comes back as it is.'),
          inQuery('response_type', oneOf('code'), 'May be left out.'),
          inQuery(vocabulary.idParameter, id, `Asks for this ${line} instead of letting the user choose.`),
          inQuery('code_challenge', text, 'PKCE (RFC 7636); public clients must send it.'),
          inQuery('code_challenge_method', oneOf('S256'), 'Only this one.'),
        ],
        responses: {
          303: {
            description: 'To the page where the user decides, or back to the application with an error.',
          },
          400: { description: 'A page or JSON that says why nobody can be sent back.' },
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
        summary: 'End an authorization by one of its tokens (RFC 7009)',
        security: [],
        requestBody: ofToken,
        responses: { 200: answers('It works no more.', object({})), ...faults },
      },
    },
    '/oauth/introspect': {
      post: {
        operationId: 'introspectToken',
        tags,
        summary: 'Ask about a token of your own application (RFC 7662)',
        security: [],
        requestBody: ofToken,
        responses: {
          200: answers('What it is worth.', {
            type: 'object',
            required: ['active'],
            additionalProperties: true,
          }),
          ...faults,
        },
      },
    },
    '/.well-known/oauth-authorization-server': {
      get: {
        operationId: 'getAuthorizationServer',
        tags,
        summary: "The authorization server's metadata (RFC 8414)",
        security: [],
        responses: { 200: answers('The metadata.', { type: 'object' }) },
      },
    },
  }
}
