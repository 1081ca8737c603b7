import type { Context } from '../../domain/context.js'
import * as oauth from '../oauth/endpoints.js'
import type { Routes } from './kinds.js'

/** The routes by which users authorize applications. */
export function oauthRoutes(context: Context, { get, page, form, oauthPost }: Routes): void {
  // oxfmt-ignore
  {
    get('/oauth/authorize',               oauth.limitAnonymousRequests(context), oauth.authorize(context))
    get('/oauth/authorize/:uid',          oauth.resume(context))
    page('/oauth/consent/:uid',           oauth.showConsent)
    form('/oauth/consent/:uid',           oauth.postConsent, oauth.showConsent, oauth.isNewConsent)
    oauthPost(['/oauth/access', '/oauth/token', '/v1/oauth/access'], oauth.exchange)
    oauthPost('/oauth/revoke',            oauth.revoke)
    oauthPost('/oauth/introspect',        oauth.introspect)
    get('/oauth/keys',                    oauth.getKeys)
    get('/.well-known/oauth-authorization-server', oauth.getMetadata(context))
    get('/.well-known/openid-configuration',       oauth.getMetadata(context))
  }
}
