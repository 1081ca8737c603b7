import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

export interface StandIn {
  /** Without a slash at its end. */
  origin: string
  /** A path of its own for each handler. @returns its URL */
  serve(handle: Handle): string
  /** A path that answers with these bytes. @returns its URL */
  give(bytes: Buffer, headers?: Record<string, string>): string
  close(): Promise<void>
}

/** Somebody's web server on loopback: each test gets paths of its own. */
export async function startStandIn(): Promise<StandIn> {
  const handlers = new Map<string, Handle>()
  const server = createServer((request, response) => {
    const handle = handlers.get(new URL(request.url ?? '/', 'http://here').pathname)
    if (handle === undefined) response.writeHead(404).end()
    else handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const serve = (handle: Handle) => {
    const path = `/${handlers.size + 1}`
    handlers.set(path, handle)
    return origin + path
  }
  return {
    origin,
    serve,
    give: (bytes, headers = {}) =>
      serve((_request, response) => {
        response.writeHead(200, { 'Content-Length': String(bytes.length), ...headers }).end(bytes)
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
