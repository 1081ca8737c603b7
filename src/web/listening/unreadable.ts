import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The time in which a client that sent an invalid request may read its answer before its connection is cut. */
const LINGER_MS = 1000

const STATUS_BY_CODE: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/**
 * Answers a request that cannot be read, in JSON, because clients crash on an empty body. The requests before it on its
 * connection are answered first: their client would take this answer for theirs, and send a text again that was accepted.
 * If its own response has begun, its client would take this one for a part of it, so it is only cut off.
 *
 * @param underWay the responses that are not complete, in the order of their requests
 */
export function refuseUnreadable(
  underWay: ReadonlySet<ServerResponse>,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const refused = new WeakSet<Socket>()

  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    // Node reports each further piece of the same request too.
    if (refused.has(socket)) return
    refused.add(socket)
    const responses = [...underWay].filter(({ req }) => req.socket === socket)
    const own = responses.find(({ req }) => !req.complete)
    const refuse = () => {
      if (own?.headersSent === true) socket.destroy()
      else if (socket.writable) answer(error, socket)
    }
    const last = responses.findLast(({ req }) => req.complete)
    if (last === undefined) refuse()
    else last.once('close', refuse)
  }
}

function answer({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  const status = STATUS_BY_CODE[code] ?? 400
  const body = JSON.stringify({
    success: false,
    error: `${STATUS_CODES[status] ?? 'Bad Request'}: the request could not be read`,
  })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // A client that does not close its side does not keep ours open.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
