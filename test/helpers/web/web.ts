import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Suite } from 'mocha'
import type { Context } from '../../../src/domain/context.js'
import { createApp } from '../../../src/web/app.js'
import { listen } from '../../../src/web/listening/listen.js'
import { createJoinedContext, createTestContext, type ContextOptions } from '../context.js'
import type { Environment } from '../process/environment.js'
import { openedLater } from '../suite.js'

export interface Answer {
  status: number
  headers: Headers
  /** As it came. */
  text: string
  /** Parsed; reading it throws where the answer is not JSON. */
  body: unknown
}

export interface TestWeb {
  /** Without a slash at the end. */
  url: string
  port: number
  server: Server
  request(path: string, init?: RequestInit): Promise<Answer>
  /** A body that is neither text nor bytes is sent as JSON. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** As on SIGTERM: resolves when what is under way is answered. */
  drain(): Promise<void>
  /** For `after`: cuts everything off. */
  close(): Promise<void>
}

export interface ServedContext {
  context: Context
  web: TestWeb
}

interface WebOptions extends ContextOptions {
  /** In the place of a context over stores of its own. */
  open?: () => Promise<Context>
}

type Body = (this: Suite, served: ServedContext) => void

/** As `describeContext`, with the app of the context on a real HTTP server. */
export function describeWeb(title: string, body: Body): void
export function describeWeb(title: string, options: WebOptions, body: Body): void
export function describeWeb(title: string, ...rest: [Body] | [WebOptions, Body]): void {
  const [{ environment, open, ...options }, body]: [WebOptions, Body] =
    rest.length === 1 ? [{}, rest[0]] : rest
  describe(title, function () {
    const context = openedLater(() => open?.() ?? createTestContext(environment, options))
    const web = openedLater(() => serveApp(context.object))
    before(context.open)
    before(web.open)
    body.call(this, { context: context.object, web: web.object })
    after(web.close)
    after(context.close)
  })
}

/** For what is opened for a suite: the app goes, and then its context. */
export const closing =
  ({ context, web }: ServedContext) =>
  async () => {
    await web.close()
    await context.close()
  }

/** For a test that needs an app beside the suite's: it is there while `use` runs, and closed then. */
export async function withWeb(
  environment: Environment | (() => Promise<Context>),
  use: (served: ServedContext) => Promise<unknown>,
): Promise<void> {
  const context = await (typeof environment === 'function' ? environment() : createTestContext(environment))
  const web = await serveApp(context)
  try {
    await use({ context, web })
  } finally {
    await closing({ context, web })()
  }
}

/** The app of a second process of the same service. Called in the body of a suite. */
export function joinWeb(first: Context): ServedContext {
  const context = openedLater(() => createJoinedContext(first))
  const web = openedLater(() => serveApp(context.object))
  before(context.open)
  before(web.open)
  after(web.close)
  after(context.close)
  return { context: context.object, web: web.object }
}

/** The app of a context on a real HTTP server at a free port of loopback, or at the one that PUBLIC_URL has. */
export async function serveApp(
  context: Context,
  { finishMs = 20_000, port: wanted = 0 } = {},
): Promise<TestWeb> {
  const web = await listen(
    createApp(context).callback(),
    { port: wanted, host: '127.0.0.1' },
    {
      finishMs,
      // Tests run beside others in the process that they ask, on machines that have no time.
      acceptDelay: { maxWaitMs: Infinity },
    },
  )
  const { port } = web.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const request = requestAt(url)

  return {
    url,
    port,
    server: web.server,
    request,
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers,
        body:
          body === undefined || typeof body === 'string' || body instanceof Uint8Array
            ? ((body as string | Uint8Array<ArrayBuffer> | undefined) ?? null)
            : JSON.stringify(body),
      }),
    drain: () => web.close(),
    close: async () => {
      web.server.closeAllConnections()
      await web.close()
    },
  }
}

/** Asks a server that may be another process; follows no redirect. */
export function requestAt(url: string): TestWeb['request'] {
  return async (path, init = {}) => {
    const response = await fetch(url + path, { redirect: 'manual', ...init })
    const { status, headers } = response
    // A stream has no end, so only how it begins is the answer.
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const text = isStream ? '' : await response.text()
    if (isStream) await response.body?.cancel()
    return {
      status,
      headers,
      text,
      get body() {
        if (isStream) return text
        const type = headers.get('content-type') ?? 'none'
        if (/^application\/(problem\+)?json\b/.test(type)) return JSON.parse(text) as unknown
        throw new Error(`expected JSON, got ${status} with content type ${type}: ${text.slice(0, 200)}`)
      },
    }
  }
}
