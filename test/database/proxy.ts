import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Proxy {
  /** The server's URL with the proxy's address in it. */
  url: string
  /** Connections that came while it was down. */
  refusedCount: number
  /** Breaks every connection, and every new one too until `goUp`. */
  goDown(): void
  /** Breaks every new connection until `goUp`; those that are open now go on. */
  refuseNew(): void
  /** Nothing passes any more, on no connection, old or new; after `goUp` all of it does, late. */
  freeze(): void
  /** On the connections that are open now nothing passes any more, for ever; new ones work. */
  abandonOpen(): void
  /** The same for the one that was used last. */
  abandonLast(): void
  /** A new connection is opened, and nothing passes on it any more once it is. */
  abandonOpened(): void
  /** On the connections that are open now the server still gets what it is asked, and nobody gets its answers. */
  swallowAnswers(): void
  /** Whether somebody waits on a connection for what does not pass. */
  isStuck(): boolean
  goUp(): void
  close(): Promise<void>
}

/** The last message of Postgres when a connection is opened. */
const READY_FOR_QUERY = Buffer.from('Z\0\0\0\u0005I', 'latin1')

/** A way to a server (its URL) that can be cut, so that for one context the server is away. */
export async function startProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl)
  const connections = new Set<Connection>()
  let lastUsed: Connection | undefined
  let isDown = false
  let isFrozen = false
  let isAbandoningOpened = false

  const server = createServer((inward) => {
    if (isDown) {
      proxy.refusedCount += 1
      inward.destroy()
      return
    }
    const outward = connect(Number(target.port), target.hostname)
    const connection: Connection = { sockets: [inward, outward], held: [], isAbandoned: false, isDeaf: false }
    connections.add(connection)
    for (const [socket, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      socket.on('data', (bytes) => {
        lastUsed = connection
        if (connection.isAbandoned || (connection.isDeaf && socket === outward)) return
        if (isFrozen) connection.held.push([other, bytes])
        else other.write(bytes)
        if (isAbandoningOpened && socket === outward && bytes.subarray(-6).equals(READY_FOR_QUERY)) {
          connection.isAbandoned = true
        }
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        connections.delete(connection)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  const breakAll = () => {
    for (const { sockets } of connections) for (const socket of sockets) socket.destroy()
  }
  const proxy: Proxy = {
    url: url.href,
    refusedCount: 0,
    goDown: () => {
      isDown = true
      breakAll()
    },
    refuseNew: () => {
      isDown = true
    },
    freeze: () => {
      isFrozen = true
    },
    abandonOpen: () => {
      for (const connection of connections) connection.isAbandoned = true
    },
    abandonLast: () => {
      if (lastUsed) lastUsed.isAbandoned = true
    },
    abandonOpened: () => {
      isAbandoningOpened = true
    },
    swallowAnswers: () => {
      for (const connection of connections) connection.isDeaf = true
    },
    isStuck: () => [...connections].some(({ held, isAbandoned }) => isAbandoned || held.length > 0),
    goUp: () => {
      isDown = false
      isFrozen = false
      isAbandoningOpened = false
      for (const { held } of connections) for (const [to, bytes] of held.splice(0)) to.write(bytes)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        breakAll()
      }),
  }
  return proxy
}

interface Connection {
  sockets: [Socket, Socket]
  /** What was written while it was frozen. */
  held: [Socket, Buffer][]
  isAbandoned: boolean
  isDeaf: boolean
}
