import type { LookupAddress } from 'node:dns'
import { createSecureContext } from 'node:tls'
import Agent from 'undici/lib/dispatcher/agent.js'
import { parseRanges } from './safe-fetch/addresses.js'
import { connectorOf, guardedDial } from './safe-fetch/dial.js'
import { exchange, MAX_HEADER_BYTES, type SafeRequest, type SafeResponse } from './safe-fetch/exchange.js'
import { Fault, FetchFailed } from './safe-fetch/failures.js'
import { createLookup } from './safe-fetch/look-up.js'
import { checkedAddresses, type Lookup } from './safe-fetch/resolve.js'
import { createStreamer, type BodySink, type Streamed, type StreamRequest } from './safe-fetch/stream.js'
import { bareHost, parseUserUrl } from './safe-fetch/urls.js'

export { isForbiddenAddress, isInRanges, parseRanges, type AddressRange } from './safe-fetch/addresses.js'
export type { SafeRequest, SafeResponse } from './safe-fetch/exchange.js'
export { FetchFailed } from './safe-fetch/failures.js'
export type { Phases } from './safe-fetch/phases.js'
export { MAX_URL_LENGTH } from './safe-fetch/urls.js'
export { onlyAt } from './safe-fetch/dial.js'
export type { Lookup } from './safe-fetch/resolve.js'
export type { BodySink } from './safe-fetch/stream.js'

/**
 * The only way in which the service calls URLs that users gave it.
 *
 * A URL is checked when it is saved (`explainUrl`, for a friendly error) and again at every dial (`request`, for
 * safety, because DNS answers change). Only public addresses are called, unless the operator allows a range. No proxy
 * variable is read and no redirect followed: a caller that wants to follow one calls `request` again.
 */
export interface SafeFetch {
  /**
   * Resolves with any HTTP answer, 3xx, 4xx and 5xx included; rejects with FetchFailed for everything else, and with
   * a TypeError for headers that HTTP does not allow, which are the caller's mistake.
   */
  request(url: string, request?: SafeRequest): Promise<SafeResponse>
  /**
   * Like `request`, for bodies that are too large to keep. Each piece goes into the sink, which sets its own limit. If
   * the sink fails, this rejects with its error.
   */
  stream(url: string, sink: BodySink, request?: StreamRequest): Promise<StreamedResponse>
  /**
   * Returns a sentence that says what is wrong with the URL and what to do, or undefined if it can be called. Takes
   * at most 3 s.
   */
  explainUrl(url: string): Promise<string | undefined>
  /**
   * Every address of a host (a name or an address), all of them checked. This is for connections that are not HTTP.
   * Dial these addresses and never the name, because the next look-up may answer differently.
   *
   * @throws FetchFailed `dns` or `blocked_address`
   */
  resolve(host: string, timeoutMs: number): Promise<LookupAddress[]>
  /** Closes idle connections. Anything still under way fails as `aborted`. */
  close(): Promise<void>
}

export type StreamedResponse = Streamed & Pick<SafeResponse, 'durationMs'>

export interface SafeFetchOptions {
  allowHttp: boolean
  /** Ranges that may be called although they are not public, such as 127.0.0.0/8. An invalid one throws a TypeError. */
  allowedPrivateCidrs: readonly string[]
  /**
   * The time for name look-up, TCP and TLS together: 5,000 by default. Its end is a `dns`, `connect` or `tls` failure.
   */
  connectTimeoutMs?: number
  /** The default is that of `look-up.ts`. */
  lookup?: Lookup
  /**
   * Requests beyond this number wait, and their wait counts as part of their time. The default is 128, because many
   * users share the origins of big hosts. Each stream has a connection of its own, which is not counted.
   */
  maxConnectionsPerOrigin?: number
  /** Certificates (PEM) to trust instead of the ones that Node trusts. */
  trustedCertificates?: string
}

/**
 * A person who saves a URL waits for this look-up. A name server that answers later than this might as well be down.
 */
const EXPLAIN_TIMEOUT_MS = 3_000

/** This is less than the 5 s after which Node's own server, the shortest in wide use, closes an idle connection. */
const KEEP_ALIVE_MS = 4_000

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const guard = {
    lookup: options.lookup ?? createLookup(),
    allowed: parseRanges(options.allowedPrivateCidrs),
  }
  const dial = guardedDial({
    ...guard,
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    secureContext: createSecureContext({ ca: options.trustedCertificates }),
  })
  const agentOptions = {
    connect: connectorOf(dial),
    connections: options.maxConnectionsPerOrigin ?? 128,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const agents = { kept: new Agent(agentOptions), once: new Agent({ ...agentOptions, pipelining: 0 }) }
  const streamer = createStreamer(dial)

  /** Returns the outcome of the work. A Fault becomes a FetchFailed that also knows how long the work took. */
  const told = async <Outcome>(work: (elapsedMs: () => number) => Promise<Outcome>) => {
    const startedAt = performance.now()
    const elapsedMs = () => Math.round(performance.now() - startedAt)
    try {
      return await work(elapsedMs)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { failure, message, requestSent, phases, cause } = error
      throw new FetchFailed(failure, message, { requestSent, durationMs: elapsedMs(), phases, cause })
    }
  }

  const call = <Answer>(url: string, exchangeWith: (url: URL) => Promise<Answer>) =>
    told(async (elapsedMs) => {
      const answer = await exchangeWith(parseUserUrl(url, options))
      return { ...answer, durationMs: elapsedMs() }
    })

  return {
    request: (url, request = {}) => call(url, (parsed) => exchange(agents, parsed, request)),
    stream: (url, sink, request = {}) => call(url, (parsed) => streamer.stream(parsed, request, sink)),
    async explainUrl(url) {
      try {
        await checkedAddresses(bareHost(parseUserUrl(url, options)), guard, EXPLAIN_TIMEOUT_MS)
        return undefined
      } catch (error) {
        if (error instanceof Fault) return error.message
        throw error
      }
    },
    resolve: (host, timeoutMs) => told(() => checkedAddresses(host, guard, timeoutMs)),
    async close() {
      streamer.close()
      await Promise.all([agents.kept.destroy(), agents.once.destroy()])
    },
  }
}
