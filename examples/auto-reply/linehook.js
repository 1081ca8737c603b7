import * as openid from 'openid-client'
import { APP_URL, CLIENT_ID, CLIENT_SECRET, LINEHOOK_URL } from './settings.js'

/** Linehook's metadata has its OAuth endpoints and what they support (RFC 8414). */
const config = await openid.discovery(new URL(LINEHOOK_URL), CLIENT_ID, CLIENT_SECRET, undefined, {
  algorithm: 'oauth2',
  // Only for Linehook on your own machine; everything else uses https.
  execute: LINEHOOK_URL.startsWith('http:') ? [openid.allowInsecureRequests] : [],
})

/**
 * The authorizations by line ID, `{ tokens, refreshing }`.
 * A real application keeps the tokens in its database, encrypted; this one forgets them when it stops.
 */
const authorizations = new Map()

/**
 * Returns the URL for the user, and the two secrets to keep until they return: `state` ties the answer to
 * their browser, `verifier` (PKCE) makes a stolen code worthless.
 */
export async function beginAuthorization() {
  const state = openid.randomState()
  const verifier = openid.randomPKCECodeVerifier()
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${APP_URL}/callback`,
    scope: 'messages:connect',
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url, state, verifier }
}

/**
 * Checks `state` and `iss` in the answer and exchanges its code for tokens.
 *
 * @param {URL} url the URL to which the user returned
 * @returns the lines that they connected: `{ id, name, phoneNumber, … }`
 */
export async function finishAuthorization(url, { state, verifier }) {
  const tokens = await openid.authorizationCodeGrant(config, url, {
    expectedState: state,
    pkceCodeVerifier: verifier,
  })
  const authorization = { tokens, refreshing: undefined }
  for (const { id } of tokens.connected_lines) authorizations.set(id, authorization)
  return tokens.connected_lines
}

/**
 * @param {{ lineId: string, toNumber: string, text: string }} message
 * @param {string} idempotencyKey with the same key, a message is sent once, however often it is posted
 */
export async function sendMessage(message, idempotencyKey) {
  const authorization = authorizations.get(message.lineId)
  if (authorization === undefined)
    throw new Error(`we have no token for line ${message.lineId}: connect it again`)

  const post = () =>
    fetch(new URL('/v1/messages', LINEHOOK_URL), {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${authorization.tokens.access_token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify(message),
      // Without a time-out, a reply would wait for minutes.
      signal: AbortSignal.timeout(10_000),
    })
  let response = await post()
  if (response.status === 401) {
    await refresh(authorization)
    response = await post()
  }
  if (!response.ok) throw new Error(`Linehook answered ${response.status}: ${await response.text()}`)
}

/**
 * A refresh token is for one use: if it is used again later, the authorization ends. If several requests find the access
 * token expired, one refreshes and the others wait for it.
 *
 * @throws if the user has disconnected us (`invalid_grant`)
 */
function refresh(authorization) {
  authorization.refreshing ??= openid
    .refreshTokenGrant(config, authorization.tokens.refresh_token)
    .then((tokens) => {
      authorization.tokens = tokens
    })
    .finally(() => {
      authorization.refreshing = undefined
    })
  return authorization.refreshing
}
