import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Proxy {
  /** The server's URL with the proxy's address in it. */
  url: string
  /** Connections that came while it was down. */
  refusedCount: number
  /** Breaks every connection, and every new one too until `goUp`. */
  goDown(): void
  goUp(): void
  close(): Promise<void>
}

/** A way to a server (its URL) that can be cut, so that for one context the server is away. */
export async function startProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isDown = false
  const server = createServer((inward) => {
    if (isDown) {
      proxy.refusedCount += 1
      inward.destroy()
      return
    }
    const outward = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const proxy: Proxy = {
    url: url.href,
    refusedCount: 0,
    goDown: () => {
      isDown = true
      breakAll()
    },
    goUp: () => {
      isDown = false
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
