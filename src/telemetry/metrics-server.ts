import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Config } from '../config.js'
import { listenOn } from '../kit/process/listen-on.js'
import { isSameSecret } from '../secrets.js'
import { measureProcess, scrape } from './metrics.js'

/** Only one Prometheus, or a few, have a reason to connect. */
const MAX_CONNECTIONS = 50
const TIMEOUT_MS = 5000

type MetricsConfig = Pick<Config, 'metricsPort' | 'metricsHost' | 'metricsToken' | 'version'>

/** Reads what each answer needs first; it must never fail. */
type Prepare = () => Promise<void>

const nothing: Prepare = () => Promise.resolve()

let isOpen = false

/**
 * Called at the start of a process. Opens METRICS_PORT if it is set, once for all programs that share the process,
 * until the process ends. If the port cannot be opened, it logs the error and ends the process with 1.
 */
export async function openMetrics(name: string, config: MetricsConfig, prepare = nothing): Promise<void> {
  const { metricsPort: port, metricsHost: host, metricsToken: token } = config
  if (port === undefined && token === undefined) return
  measureProcess(name, config.version)
  if (port === undefined || isOpen) return
  isOpen = true
  try {
    const server = await listenForScrapes({ host, port, token }, prepare)
    server.unref()
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    process.stderr.write(
      isBusy
        ? `METRICS_PORT ${port} is in use. Each process on a machine needs its own port.\n`
        : `Cannot listen on METRICS_PORT ${host}:${port}: ${(error as Error).message}\n`,
    )
    process.exit(1)
  }
}

/**
 * Answers `GET /metrics` and nothing else.
 *
 * @throws NodeJS.ErrnoException such as EADDRINUSE
 */
export async function listenForScrapes(
  { host, port, token }: { host: string; port: number; token: string | undefined },
  prepare = nothing,
): Promise<Server> {
  const server = createServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, connectionsCheckingInterval: 1000 },
    (request, response) => {
      answer(request, response, token, prepare).catch(() => response.destroy())
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  await listenOn(server, port, host)
  return server
}

/** True if the `Authorization` header has the token of METRICS_TOKEN. */
export function mayScrape(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  return given !== undefined && isSameSecret(given, token)
}

export const UNAUTHORIZED = 'Send METRICS_TOKEN in the header `Authorization: Bearer …`'
export const CHALLENGE = 'Bearer realm="Linehook metrics"'

async function answer(
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  token: string | undefined,
  prepare: Prepare,
): Promise<void> {
  const say = (status: number, text: string, more: Record<string, string> = {}) => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...more }).end(text)
  }
  if (url?.split('?')[0] !== '/metrics') {
    say(404, 'Only /metrics is served here\n')
  } else if (method !== 'GET' && method !== 'HEAD') {
    say(405, 'Method not allowed\n', { Allow: 'GET, HEAD' })
  } else if (token !== undefined && !mayScrape(headers.authorization, token)) {
    say(401, `${UNAUTHORIZED}\n`, { 'WWW-Authenticate': CHALLENGE })
  } else {
    await prepare()
    const { type, text } = await scrape()
    say(200, text, { 'Content-Type': type })
  }
}
