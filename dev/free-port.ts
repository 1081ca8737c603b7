import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Starts a service on a free port. The port is chosen before the service binds it, so somebody may take it in between. Then
 * another port is tried.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>, choosePort = freePort): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await choosePort())
    } catch (error) {
      const taken = error instanceof Error && /address already in use/i.test(error.message)
      if (!taken || attempt === 5) throw error
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1')
  return address.port
}

export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => {
      resolve(false)
    })
    probe.listen(port, host, () => {
      probe.close(() => {
        resolve(true)
      })
    })
  })
}
