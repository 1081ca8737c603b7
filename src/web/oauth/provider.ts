import { generateKeyPairSync } from 'node:crypto'
import { errors, Provider, type Configuration } from 'oidc-provider'
import { findClient, isClientSecret } from '../../domain/applications/applications.js'
import { isRedirectUriOf } from '../../domain/applications/redirect-uris.js'
import { isScope, SCOPES } from '../../domain/applications/application-access.js'
import { SERVICE } from '../../domain/operating/audit/actor.js'
import { actingAs, type Context } from '../../domain/context.js'
import { isId } from '../../ids.js'
import { isSecure } from '../console/people/session.js'
import { createAdapter } from './adapter.js'
import { answerAuthorizationError } from './refusals.js'

const DAY_SECONDS = 24 * 60 * 60
/** Clients exchange a code immediately, so a leaked one is worth little after a minute. */
const CODE_SECONDS = 60
/** How long a person has to sign in and choose lines. */
const INTERACTION_SECONDS = 60 * 60
/**
 * The lifetime of a grant and its refresh tokens, which end together. The year starts anew with each refresh token
 * that is made (`upsertOAuthRecord`), so only an application that did nothing for a year has to ask its users again.
 */
const GRANT_SECONDS = 365 * DAY_SECONDS

/** The error for an authorization that has ended, or that another browser began. */
export const { SessionNotFound } = errors

/** The resource to which all our scopes belong. Clients never name it. */
export const RESOURCE = 'urn:linehook:api'

/** Never sent: the console's session is used instead. */
export const SESSION_COOKIE = 'linehook-oauth'

const providers = new WeakMap<Context['db'], Provider>()

/** The authorization server; there is one for each process, which does not act for the user of its first request. */
export function providerOf(asking: Context): Provider {
  const known = providers.get(asking.db)
  if (known !== undefined) return known
  const context = actingAs(asking, SERVICE)
  const provider = new Provider(context.config.publicUrl, configure(context))
  providers.set(context.db, provider)
  checkClientsOurselves(context, provider)
  provider.on('server_error', (ctx: object, error: Error) => {
    ;(ctx as { oauthFailure?: Error }).oauthFailure = error
  })
  return provider
}

function configure(context: Context): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const isOff = { enabled: false }
  return {
    adapter: createAdapter(context),
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/access',
      revocation: '/oauth/revoke',
      introspection: '/oauth/introspect',
    },
    // Nothing is signed (tokens are opaque), but the package requires a key.
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    // Our scopes belong to a resource, so that `openid` is never needed.
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: (_, client) => client.clientAuthMethod === 'none' },
    clockTolerance: 0,
    cookies: {
      names: cookieNames(context),
      short: { httpOnly: true, sameSite: 'lax', secure: isSecure(context), signed: false },
      long: { httpOnly: true, sameSite: 'lax', signed: false },
    },
    ttl: {
      AccessToken: context.config.accessTokenSeconds,
      AuthorizationCode: CODE_SECONDS,
      Grant: GRANT_SECONDS,
      IdToken: CODE_SECONDS,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: GRANT_SECONDS,
      Session: INTERACTION_SECONDS,
    },
    features: {
      devInteractions: isOff,
      dPoP: isOff,
      pushedAuthorizationRequests: isOff,
      rpInitiatedLogout: isOff,
      userinfo: isOff,
      introspection: {
        enabled: true,
        allowedPolicy: (_, client, token) => token.clientId === client.clientId,
      },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: SCOPES.join(' '), accessTokenFormat: 'opaque' }),
      },
    },
    extraParams: { scope: requireKnownScope(context), line_id: requireId },
    interactions: { url: (_, { uid }) => `/oauth/consent/${uid}` },
    findAccount: (_, userId) => ({ accountId: userId, claims: () => ({ sub: userId }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    expiresWithSession: () => false,
    // A page has no secret, and its origin proves nothing: PKCE and the refresh token are the proof.
    clientBasedCORS: (_, _origin, client) => client.clientAuthMethod === 'none',
    renderError: answerAuthorizationError(context),
  }
}

/**
 * The prefix `__Host-` is not used, because it would require them for every path: two concurrent authorizations in
 * one browser each have a cookie of the same name, for the path of their own page.
 */
function cookieNames(context: Context) {
  const prefix = isSecure(context) ? '__Secure-' : ''
  return {
    session: SESSION_COOKIE,
    interaction: `${prefix}linehook-consent`,
    resume: `${prefix}linehook-authorize`,
  }
}

/** The package only knows secrets as plain text, and has other rules for redirect URIs than ours. */
function checkClientsOurselves(context: Context, provider: Provider): void {
  const { Client } = provider as unknown as {
    Client: {
      prototype: {
        compareClientSecret(this: { clientId: string }, secret: string): Promise<boolean>
        redirectUriAllowed(this: { redirectUris: string[] }, uri: string): boolean
      }
      Schema: { prototype: { redirectUris(): void } }
    }
  }
  Client.prototype.compareClientSecret = async function (secret) {
    const application = await findClient(context, this.clientId)
    return application !== undefined && isClientSecret(application, secret)
  }
  // They were judged at the registration; here they are only compared.
  Client.Schema.prototype.redirectUris = () => undefined
  Client.prototype.redirectUriAllowed = function (uri) {
    return isRedirectUriOf(this.redirectUris, uri)
  }
}

/** Unknown ones beside a known one are left out before this. */
function requireKnownScope({ vocabulary }: Context) {
  const known = SCOPES.map((scope) => vocabulary.scope(scope)).join(', ')
  return (_: unknown, scope: string | undefined): void => {
    const scopes = (scope ?? '').split(' ').filter((each) => each !== '')
    if (scopes.length === 0) throw new errors.InvalidScope(`Request at least one scope: ${known}`, '')
    if (scopes.some(isScope)) return
    const unknown = scopes.map((each) => vocabulary.scope(each)).join(' ')
    throw new errors.InvalidScope(`None of these scopes is known. Request one of ${known}`, unknown)
  }
}

function requireId(_: unknown, lineId: string | undefined): void {
  if (lineId !== undefined && !isId(lineId)) throw new errors.InvalidRequest('line_id must be an ID (a UUID)')
}
