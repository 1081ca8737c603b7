import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import type { Context as KoaContext, Middleware } from 'koa'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { SCOPES } from '../../domain/applications/application-access.js'
import type { Context } from '../../domain/context.js'
import { Unavailable, UserError } from '../../errors.js'
import type { Window } from '../../kit/redis/sliding-window.js'
import { newId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import { networkOf } from '../../network.js'
import { leaveOriginsToProvider } from '../middleware/other-origins.js'
import { doubted } from '../unknown-outcome.js'
import { presentConnectedLines } from './connected-lines.js'
import { encode, readAuthorization, readCredentials, readTokenRequest, type Parameters } from './dialect.js'
import { enterProvider } from './enter-provider.js'
import { loadProvider } from './load-provider.js'

export { isNewConsent, postConsent, showConsent } from './consent.js'
export { limitAnonymousRequests } from './anonymous-limit.js'

/** The token requests of one address in a minute: even a busy application makes far fewer. */
const REQUESTS_PER_MINUTE = 300

/** Even an access token that is valid for a minute only is refreshed less often by several processes of an application. */
const REFRESHES_PER_HOUR = 240

/** Handles GET /oauth/authorize, which leads to the consent page, or back to the application with an error. */
export function authorize(context: Context): Middleware {
  return async (ctx) => {
    ctx.querystring = encode(readAuthorization(context.vocabulary, ctx.query))
    await enterProvider(context, ctx)
  }
}

/** Sends the browser on from the consent page to the application, with a code or with the refusal. */
export function resume(context: Context): Middleware {
  return async (ctx) => {
    ctx.querystring = ''
    await enterProvider(context, ctx)
  }
}

/** Handles the token endpoint. Its answer names the connected lines. */
export function exchange(context: Context): Middleware {
  return async (ctx) => {
    const parameters = await readPaced(context, ctx)
    await requireRefreshPace(context, parameters)
    const complete = await withRedirectUri(context, parameters)
    await issue(context, ctx, complete).catch((error: unknown) => {
      const sentence =
        'It is unknown whether tokens were issued. Repeat the request after 15 seconds. If it is refused, authorize again'
      throw doubted(error, isSpent(ctx), sentence)
    })
  }
}

async function issue(context: Context, ctx: KoaContext, parameters: Parameters): Promise<void> {
  await enterWithBody(context, ctx, '/oauth/access', parameters)
  const answer = withScope(context, ctx.body as Record<string, unknown>)
  ctx.body = answer
  if (ctx.status !== 200) return
  const { AccessToken: token } = entitiesOf(ctx)
  if (token === undefined) throw new Error('a token was issued but not stored')
  const { clientId = '', accountId } = token
  ctx.body = {
    ...answer,
    [context.vocabulary.connectedField]: await presentConnectedLines(context, clientId, accountId),
  }
}

/** True if the code or the refresh token of this request is used up. The package names it then. */
function isSpent(ctx: KoaContext): boolean {
  const { AuthorizationCode: code, RotatedRefreshToken: refreshToken } = entitiesOf(ctx)
  return code !== undefined || refreshToken !== undefined
}

function entitiesOf(ctx: KoaContext): Partial<KoaContextWithOIDC['oidc']['entities']> {
  return (ctx as Partial<KoaContextWithOIDC>).oidc?.entities ?? {}
}

/** Revokes a token (RFC 7009). */
export function revoke(context: Context): Middleware {
  return async (ctx) => {
    const parameters = await readPaced(context, ctx)
    await enterWithBody(context, ctx, '/oauth/revoke', parameters).catch((error: unknown) => {
      throw doubted(error)
    })
    // Clients that expect JSON everywhere fail on an empty body (simple-oauth2 does).
    if (ctx.status === 200) ctx.body = {}
  }
}

/** Introspects a token (RFC 7662). */
export function introspect(context: Context): Middleware {
  return async (ctx) => {
    const parameters = await readPaced(context, ctx)
    await enterWithBody(context, ctx, '/oauth/introspect', parameters)
    if (ctx.status === 200) ctx.body = withScope(context, ctx.body as Record<string, unknown>)
  }
}

/** Returns the metadata of RFC 8414. */
export function getMetadata({ config: { publicUrl }, vocabulary }: Context): Middleware {
  const methods = ['client_secret_basic', 'client_secret_post', 'none']
  const metadata = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/access`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    introspection_endpoint: `${publicUrl}/oauth/introspect`,
    // There are no ID tokens here, but what reads OpenID Connect's metadata refuses a document without these members:
    // Spring Security with `issuer-uri`, AppAuth (OpenID Connect Discovery §3).
    jwks_uri: `${publicUrl}/oauth/keys`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: SCOPES.map((scope) => vocabulary.scope(scope)),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs`,
  }
  return (ctx) => {
    ctx.body = metadata
  }
}

/** Nothing that we issue is signed with a key. */
export const getKeys: Middleware = (ctx) => {
  ctx.body = { keys: [] }
}

/**
 * RFC 6749 requires `redirect_uri` here, but clients leave it out: then that of the code is used. One that is sent
 * must match.
 */
async function withRedirectUri(context: Context, parameters: Parameters): Promise<Parameters> {
  const { grant_type: grantType, code } = parameters
  if (grantType !== 'authorization_code' || parameters.redirect_uri !== undefined) return parameters
  if (typeof code !== 'string') return parameters
  const { providerOf } = await loadProvider()
  const known = await providerOf(context).AuthorizationCode.find(code, { ignoreExpiration: true })
  return { ...parameters, redirect_uri: known?.redirectUri ?? 'unknown' }
}

/** The package reads a form, from a request whose body was not read before. */
async function enterWithBody(
  context: Context,
  ctx: KoaContext,
  path: string,
  sent: Parameters,
): Promise<void> {
  const { authorization, parameters } = readCredentials(ctx.get('Authorization'), sent)
  if (authorization === '' && parameters.client_id === undefined) {
    refuseNobody(ctx)
    return
  }
  const body = Buffer.from(encode(parameters))
  const request = Object.assign(Readable.from([body]), {
    method: 'POST',
    url: path,
    httpVersion: ctx.req.httpVersion,
    socket: ctx.req.socket,
    headers: {
      ...ctx.req.headers,
      authorization: authorization === '' ? undefined : authorization,
      'transfer-encoding': undefined,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    },
  }) as unknown as IncomingMessage
  ctx.req = request
  ctx.request.req = request
  leaveOriginsToProvider(ctx)
  ctx.path = path
  ctx.querystring = ''
  await enterProvider(context, ctx)
}

/**
 * RFC 6749 §5.2 requires this if there is no client authentication at all; the package would answer invalid_request.
 */
function refuseNobody(ctx: KoaContext): void {
  ctx.status = 401
  ctx.set('WWW-Authenticate', 'Basic realm="Linehook"')
  ctx.body = {
    error: 'invalid_client',
    error_description: 'Give client_id and client_secret, in the body or with HTTP Basic',
  }
}

function withScope({ vocabulary }: Context, answer: Record<string, unknown>): Record<string, unknown> {
  const { scope } = answer
  if (typeof scope !== 'string') return answer
  const scopes = scope.split(' ').map((each) => vocabulary.scope(each))
  return { ...answer, scope: scopes.join(' ') }
}

/**
 * Reads the parameters of a program's request.
 *
 * @throws UserError 429. Without Redis there is no limit: secrets and codes are too long to be guessed at any rate.
 */
async function readPaced(context: Context, ctx: KoaContext): Promise<Parameters> {
  const window = { key: `oauth:{${networkOf(ctx.ip)}}`, limit: REQUESTS_PER_MINUTE, lengthMs: 60_000 }
  await requireRoom(context, window, 'Too many token requests from this address. Wait a minute')
  return readTokenRequest(context.vocabulary, ctx.request.body as Record<string, unknown>)
}

/**
 * Every refresh makes two rows that stay for as long as the grant may be used.
 *
 * @throws UserError 429
 */
async function requireRefreshPace(context: Context, parameters: Parameters): Promise<void> {
  const { grant_type: grantType, refresh_token: token } = parameters
  if (grantType !== 'refresh_token' || typeof token !== 'string') return
  const { providerOf } = await loadProvider()
  const known = await providerOf(context).RefreshToken.find(token, { ignoreExpiration: true })
  if (known?.grantId === undefined) return
  const key = `refresh:{${sha256(known.grantId).toString('hex')}}`
  await requireRoom(
    context,
    { key, limit: REFRESHES_PER_HOUR, lengthMs: 3_600_000 },
    'Too many refreshes of one authorization. Use an access token until it expires',
  )
}

async function requireRoom({ windows }: Context, window: Window, message: string): Promise<void> {
  const waitMs = await windows.take(newId(), [window]).catch((error: unknown) => {
    if (error instanceof Unavailable) return 0
    throw error
  })
  if (waitMs === 0) return
  throw new UserError(message, 429, Math.ceil(waitMs / 1000))
}
