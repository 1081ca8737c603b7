import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Config } from '../../config.js'
import { listenOn } from '../../kit/process/listen-on.js'
import { MAX_HEADER_FIELDS } from '../middleware/require-all-headers.js'
import { limitPipelining } from './pipelining.js'
import { watchAcceptDelay, type AcceptDelayOptions } from './accept-delay.js'
import { isHealthCheck, refuseOverload } from './refuse-overload.js'
import { BODY_PACE, limitSlowBodies, type BodyPace } from './slow-bodies.js'
import { refuseUnreadable } from './unreadable.js'

export interface WebServer {
  server: Server
  /**
   * Stops listening, and resolves when requests under way have been answered. Clients that keep their connections are
   * asked to leave with their next response; otherwise, a busy one would be served until the process's deadline.
   */
  close(): Promise<void>
}

interface ListenOptions {
  finishMs?: number
  acceptDelay?: AcceptDelayOptions
  bodyPace?: BodyPace
}

/** Requests that are not answered by then are cut off, because the process must be gone 25 s after SIGTERM. */
const FINISH_MS = 20_000
/** The time in which an idle connection may still send a request once we close. */
const IDLE_MS = 1000
/** Programs that send every few seconds keep their connection; others do not hold one for long. */
const KEEP_ALIVE_MS = 10_000
/**
 * A proxy decides when its idle connections end. If we closed one just when it sends a request there, it would answer
 * 502 for us, because it may not repeat a POST. nginx keeps them for 60 s, Caddy for 2 minutes, and Google Cloud's load
 * balancers for 10.
 */
const KEEP_ALIVE_OF_PROXY_MS = 620_000
/** The largest form (11 MB) takes this long at the slowest pace of a body. */
const LONGEST_REQUEST_MS = 360_000
/** A client that takes nothing of its answer for this long is cut off; after twice this, if it took some of it before. */
const STALLED_MS = 60_000

/**
 * Listens, with time-outs against clients that send slowly or not at all. With Node's defaults a half-sent request lives
 * for 90 s and more, because Node looks at its connections only every 30 s. Resolves when the port is open.
 *
 * @throws NodeJS.ErrnoException such as EADDRINUSE
 */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  {
    port,
    host,
    trustedProxyHops = 0,
  }: Pick<Config, 'port' | 'host'> & Partial<Pick<Config, 'trustedProxyHops'>>,
  { finishMs = FINISH_MS, acceptDelay: delayOptions, bodyPace = BODY_PACE }: ListenOptions = {},
): Promise<WebServer> {
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: LONGEST_REQUEST_MS,
    keepAliveTimeout: trustedProxyHops > 0 ? KEEP_ALIVE_OF_PROXY_MS : KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    // Node would answer with an empty body, which clients crash on; the Host header is not read here.
    requireHostHeader: false,
  })
  server.maxHeadersCount = MAX_HEADER_FIELDS
  server.timeout = STALLED_MS

  const underWay = new Set<ServerResponse>()
  const begin = limitPipelining((request, response) => {
    // Koa answers every failure itself; its promise says nothing.
    void handle(request, response)
  })
  const refuse = refuseUnreadable(underWay)
  const limitSlowBody = limitSlowBodies(bodyPace, (response) => {
    const { socket } = response.req
    // After the beginning of a response, a client would take another one for a part of it.
    if (response.headersSent) socket.destroy()
    else
      refuse(Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  })
  let isClosing = false
  /** The connections whose last response has been chosen. */
  const leaving = new WeakSet<Socket>()
  const leaveAfter = (response: ServerResponse) => {
    response.shouldKeepAlive = false
    leaving.add(response.req.socket)
  }
  const acceptDelay = watchAcceptDelay(server, delayOptions)
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    limitSlowBody(request, response)
    if (acceptDelay.isTooLong() && !isHealthCheck(request)) {
      refuseOverload(request, response)
      return
    }
    // Node closes the connection after the last response, so this request must not be processed (RFC 9112 §9.6): its
    // client would not learn what became of it.
    if (leaving.has(request.socket)) return
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (isClosing) leaveAfter(response)
    begin(request, response)
  }
  server.on('request', answer)
  // An unknown expectation may be ignored (RFC 9110 §10.1.1); Node would answer 417 with an empty body.
  server.on('checkExpectation', answer)
  server.on('clientError', refuse)
  // Node would close the connection without a word.
  server.on('connect', (_, socket: Socket) => {
    socket.on('error', () => undefined)
    refuse(new Error('not a proxy'), socket)
  })

  await listenOn(server, port, host)

  return {
    server,
    close: async () => {
      isClosing = true
      acceptDelay.close()
      // A response that has begun cannot say any more that it is the last on its connection, which is idle after it.
      server.keepAliveTimeout = IDLE_MS
      // A client may have sent several requests at once. Only the response to the last of them ends the connection.
      const last = new Map([...underWay].map((response) => [response.req.socket, response]))
      for (const response of last.values()) if (!response.headersSent) leaveAfter(response)
      // A page's live stream would continue for minutes. Its browser reconnects to whichever process listens by then.
      for (const response of underWay) if (response.headersSent && isEventStream(response)) response.destroy()
      const idle = setTimeout(() => {
        server.closeIdleConnections()
      }, IDLE_MS)
      const cutOff = setTimeout(() => {
        server.closeAllConnections()
      }, finishMs)
      // This is not http's own close(), which immediately cuts idle connections off, although a request may be arriving
      // on some of them.
      await new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
      clearTimeout(idle)
      clearTimeout(cutOff)
      server.close()
    },
  }
}

function isEventStream(response: ServerResponse): boolean {
  return /^text\/event-stream\b/.test(String(response.getHeader('Content-Type')))
}
