import type { Phases } from './phases.js'

/**
 * What can go wrong when a user's URL is called. Each failure has one name, which is decided where the failure happens.
 *
 * | name | decided in | may the server have seen the request? |
 * |---|---|---|
 * | `invalid_url` | urls.ts | no |
 * | `invalid_headers` | exchange.ts | no |
 * | `dns`, `blocked_address` | resolve.ts; `blocked_address` also in dial.ts | no |
 * | `connect` (refused, unreachable, not accepted in time) | dial.ts | no |
 * | `tls_…`: what is wrong with the certificate, or no TLS at all; `tls`: any other handshake | dial.ts | no |
 * | `timeout` (the whole exchange), `aborted` (the caller's signal, or `close`) | outcome.ts | if `requestSent` |
 * | `bad_response` (interim responses without end) | outcome.ts | yes |
 * | `too_large` (all of an answer but its body) | exchange.ts | yes |
 * | `reset`, `too_large` (headers), `bad_response` (not HTTP/1.1), `network` (the rest) | `faultOf` below | yes |
 *
 * If a server breaks TLS after the handshake, the name is `tls` and `requestSent` is true. So whether a repeat is safe is
 * decided by `requestSent`, not by the name.
 */
export type FetchFailureName =
  | 'invalid_url'
  | 'invalid_headers'
  | 'dns'
  | 'blocked_address'
  | 'connect'
  | 'tls'
  | 'tls_self_signed'
  | 'tls_expired'
  | 'tls_wrong_host'
  | 'tls_untrusted'
  | 'tls_not_spoken'
  | 'timeout'
  | 'reset'
  | 'too_large'
  | 'bad_response'
  | 'aborted'
  | 'network'

/**
 * Thrown for every failure that is not an HTTP answer. `message` is a sentence for the user, without raw socket text and
 * without resolved addresses. `cause` is the raw error, which is for the operator's log only.
 */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed'
  readonly failure: FetchFailureName
  /** True if bytes of the request may have reached the server; if false, a repeat is safe. */
  readonly requestSent: boolean
  readonly durationMs: number
  /** The phases up to and including the one in which it failed. */
  readonly phases: Phases

  constructor(
    failure: FetchFailureName,
    message: string,
    facts: { requestSent: boolean; durationMs: number; phases: Phases; cause?: unknown },
  ) {
    super(message, { cause: facts.cause })
    this.failure = failure
    this.requestSent = facts.requestSent
    this.durationMs = facts.durationMs
    this.phases = facts.phases
  }
}

/**
 * A named failure inside the guarded client. `safe-fetch.ts` makes it a FetchFailed, which also knows how long it
 * took.
 */
export class Fault extends Error {
  readonly failure: FetchFailureName
  requestSent = false
  phases: Phases = {}

  constructor(failure: FetchFailureName, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }
}

/**
 * Names what broke an exchange on an open connection. The error may be from the socket, from undici's HTTP parser or from
 * Node's. undici 7.30.2 gives "bad response" (a 100 that nobody asked for) and "bad upgrade" (101) the same code as a lost
 * socket. The errors of its parser have no code, although HPE_… is documented (measured); those of Node's parser have one.
 */
export function faultOf(error: Error & { code?: unknown }): Fault {
  if (error instanceof Fault) return error
  const code = typeof error.code === 'string' ? error.code : ''
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new Fault('too_large', 'The response headers are larger than 16 KiB.', error)
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new Fault('aborted', 'The request was cancelled because the service is stopping.', error)
  }
  // With TLS 1.3 a server asks for a certificate of ours after the handshake.
  if (code.startsWith('ERR_SSL_')) {
    return new Fault('tls', 'The TLS connection failed before the response was complete.', error)
  }
  const isParserError = error.name === 'HTTPParserError' || code.startsWith('HPE_')
  const isLost = ENDED_EARLY.has(code)
  if (isParserError ? !error.message.includes('EOF') : isLost && error.message.startsWith('bad ')) {
    return notHttp(error)
  }
  if (isParserError || isLost) {
    return new Fault('reset', 'The connection was closed before the response was complete.', error)
  }
  return new Fault('network', 'The connection failed before the response was complete.', error)
}

export function notHttp(cause?: Error): Fault {
  return new Fault('bad_response', 'The response is not valid HTTP/1.1.', cause)
}

const ENDED_EARLY = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])
