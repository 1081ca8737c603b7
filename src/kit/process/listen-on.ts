import type { Server } from 'node:net'

/**
 * Waits until a server listens.
 *
 * @throws Error if it cannot, for example because the port is taken
 */
export async function listenOn(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
