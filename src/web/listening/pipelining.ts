import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The requests of one connection that are handled at a time. A client that waits for each answer never has more than
 * one.
 */
const AT_ONCE = 4
/**
 * With this many read and not begun, nothing more is read from the connection: its client waits by TCP's flow
 * control.
 */
const READ_AHEAD = 16

interface Connection {
  running: Set<ServerResponse>
  waiting: [request: IncomingMessage, response: ServerResponse][]
}

/**
 * Works on a few requests of each connection at a time, in their order. A client may send thousands in one write (RFC
 * 9112 §9.3.2), and Node would begin all of them in one turn of the event loop, while all others wait.
 */
export function limitPipelining(handle: Handle): Handle {
  const connections = new WeakMap<Socket, Connection>()

  return (request, response) => {
    const { socket } = request
    const connection = connections.get(socket) ?? watch(socket)
    connections.set(socket, connection)
    connection.waiting.push([request, response])
    if (connection.running.size < AT_ONCE) begin(socket, connection, handle)
    else if (connection.waiting.length >= READ_AHEAD) socket.pause()
  }
}

function watch(socket: Socket): Connection {
  const connection: Connection = { running: new Set(), waiting: [] }
  // Node reads on by itself, for the body of a request that is being handled.
  socket.on('resume', () => {
    if (connection.waiting.length >= READ_AHEAD) socket.pause()
  })
  socket.once('close', () => {
    const waiting = connection.waiting.splice(0).map(([, response]) => response)
    // Node reports the close only to the response whose turn it was to be sent.
    for (const response of [...connection.running, ...waiting])
      if (response.socket === null) response.emit('close')
  })
  return connection
}

function begin(socket: Socket, connection: Connection, handle: Handle): void {
  const next = connection.waiting.shift()
  if (next === undefined) return
  const [request, response] = next
  connection.running.add(response)
  response.once('close', () => {
    connection.running.delete(response)
    // Other connections get their turn of the event loop in between.
    setImmediate(() => {
      if (connection.running.size < AT_ONCE) begin(socket, connection, handle)
      if (connection.waiting.length < READ_AHEAD && !socket.destroyed) socket.resume()
    })
  })
  handle(request, response)
}
