import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../dev/services/free-port.js'

export interface TcpProxy {
  port: number
  /** New connections are refused or, with `hang`, taken and left alone; open ones are cut off. */
  cut(how?: 'refuse' | 'hang'): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

/** Stands before Postgres or Redis, so that a test can take them away from one context only. */
export async function startProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let isHanging = false

  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  }
  const server = createServer((socket) => {
    keep(socket)
    if (isHanging) return
    const upstream = connect(Number(target.port), target.hostname)
    keep(upstream)
    socket.pipe(upstream).pipe(socket)
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  })
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve)
    })
  const stop = () =>
    new Promise<void>((resolve) => {
      if (server.listening) {
        server.close(() => {
          resolve()
        })
      } else resolve()
      for (const socket of sockets) socket.destroy()
    })

  // While it is cut, nothing listens there, and nobody else may be given the port.
  const port = await freePort()
  await listen(port)
  return {
    port,
    cut: async (how = 'refuse') => {
      isHanging = how === 'hang'
      await stop()
      if (isHanging) await listen(port)
    },
    restore: async () => {
      isHanging = false
      await stop()
      await listen(port)
    },
    close: stop,
  }
}

/** The URL of the same service through the proxy. */
export function through({ port }: TcpProxy, url: string): string {
  const proxied = new URL(url)
  proxied.hostname = '127.0.0.1'
  proxied.port = String(port)
  return proxied.href
}
