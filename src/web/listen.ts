import { STATUS_CODES, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.js'

/**
 * Time-outs against connections that say little and slowly: with Node's own defaults a half-sent request lives
 * for 90 s and more (reliability, Security). Resolves when the port is open.
 *
 * @throws NodeJS.ErrnoException such as EADDRINUSE
 */
export async function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<void> {
  server.headersTimeout = 10_000
  server.requestTimeout = 15_000
  server.keepAliveTimeout = 10_000
  server.maxHeadersCount = 100
  server.on('clientError', answerBadRequest)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** What never became a request gets a JSON body too: clients crash on an empty one (contract §2). */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400
  const body = JSON.stringify({
    success: false,
    error: `${STATUS_CODES[status] ?? 'Bad Request'}: the request could not be read`,
  })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const STATUS_BY_CODE: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }
