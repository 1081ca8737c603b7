import { MAX_URL_LENGTH } from '../../safe-fetch.js'

/**
 * Explains what is wrong with a redirect URI, and what to do; undefined if it is valid. URIs are compared as whole
 * strings (RFC 9700 §2.1), so they are stored as they were written. Allowed are https, http to the user's own machine,
 * and the scheme of an app on that machine (RFC 8252 §7).
 */
export function explainRedirectUri(uri: string): string | undefined {
  if (uri.length > MAX_URL_LENGTH) return `A URI can have at most ${MAX_URL_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /["\\<>`^{|}]/.test(uri) || !URL.canParse(uri)) {
    return `${quote(uri)} is not a URI. Write it in full, such as https://example.com/callback`
  }
  const { protocol, hostname, username, password } = new URL(uri)
  if (uri.includes('#')) return `${quote(uri)} has a fragment. Remove the # and everything after it`
  if (username !== '' || password !== '') return `${quote(uri)} contains a user name or password. Remove them`
  if (protocol === 'https:' || protocol === 'http:') {
    // The parser would accept `https:example.com` as a URL, but as a string it never matches `https://example.com`.
    if (!/^https?:\/\/[^/?]/i.test(uri)) return `${quote(uri)} is not a URI. Write :// after https`
    if (protocol === 'https:' || LOOPBACK.test(hostname)) return undefined
    return `${quote(uri)} starts with http://, which is for this machine only (localhost, 127.0.0.1, [::1]): use https://`
  }
  if (NOT_AN_APP.test(protocol)) {
    return `${quote(uri)} starts with ${protocol}, which is not an app scheme. Use https://, or a scheme such as com.example.app:`
  }
  return undefined
}

/**
 * True if a redirect URI is one of the registered ones. It must match exactly; only the port on the user's own
 * machine may differ, because the system gives a native application any free port (RFC 8252 §7.3).
 */
export function isRedirectUriOf(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true
  const portless = withoutLoopbackPort(uri)
  return portless !== undefined && registered.some((each) => withoutLoopbackPort(each) === portless)
}

/** @returns undefined if it is not an http address of the user's own machine */
function withoutLoopbackPort(uri: string): string | undefined {
  const [, origin, rest] =
    /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?([/?].*)?$/.exec(uri) ?? []
  return origin === undefined || !URL.canParse(uri) ? undefined : `${origin}${rest ?? ''}`
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Browsers treat these schemes specially: they would run, store or mail a code that is sent there. */
const NOT_AN_APP =
  /^(about|blob|cid|chrome.*|content|data|dns|feed|file|filesystem|ftp|ftps|git|gopher|imap|intent|irc|jar|javascript|ldaps?|livescript|mailto|mid|mocha|moz-.*|ms-.*|news|nntp|resource|rtsp|sftp|sip|sips|smb|sms|smsto|ssh|tel|telnet|urn|vbscript|view-source|vnd\..*|wss?|xmpp):$/

function quote(uri: string): string {
  return uri.length > 80 ? `${uri.slice(0, 80)}…` : uri
}
