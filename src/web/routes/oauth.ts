import type { Context } from '../../domain/context.js'
import {
  authorize,
  limitAnonymousRequests,
  exchange,
  getKeys,
  getMetadata,
  introspect,
  isNewConsent,
  postConsent,
  resume,
  revoke,
  showConsent,
} from '../oauth/endpoints.js'
import type { Routes } from './kinds.js'

/** The routes by which users authorize applications. */
export function oauthRoutes(context: Context, { get, page, form, oauthPost }: Routes): void {
  // oxfmt-ignore
  {
    get('/oauth/authorize',               limitAnonymousRequests(context), authorize(context))
    get('/oauth/authorize/:uid',          resume(context))
    page('/oauth/consent/:uid',           showConsent)
    form('/oauth/consent/:uid',           postConsent, showConsent, isNewConsent)
    oauthPost(['/oauth/access', '/oauth/token', '/v1/oauth/access'], exchange)
    oauthPost('/oauth/revoke',            revoke)
    oauthPost('/oauth/introspect',        introspect)
    get('/oauth/keys',                    getKeys)
    get('/.well-known/oauth-authorization-server', getMetadata(context))
    get('/.well-known/openid-configuration',       getMetadata(context))
  }
}
