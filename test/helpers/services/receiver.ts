import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  at: number
  /** With its query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Receiver {
  url: string
  port: number
  requests: ReceivedRequest[]
  /** What is answered from now on; by default 200. */
  answerWith(answer: (response: ServerResponse, request: ReceivedRequest) => void): void
  /** Takes no more connections from now on. Those that are open go on, and it resolves when they have ended. */
  leave(): Promise<void>
  close(): Promise<void>
}

/** A developer's server on loopback that keeps what it gets. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  let answer: (response: ServerResponse, request: ReceivedRequest) => void = (response) => {
    response.end('ok')
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const received = { at: Date.now(), path: request.url ?? '', headers: request.headers, body }
      requests.push(received)
      answer(response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: actual } = server.address() as AddressInfo
  const leave = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        resolve()
      })
    })
  return {
    url: `http://127.0.0.1:${actual}/events`,
    port: actual,
    requests,
    answerWith: (next) => {
      answer = next
    },
    leave,
    close: async () => {
      const left = leave()
      server.closeAllConnections()
      await left
    },
  }
}
