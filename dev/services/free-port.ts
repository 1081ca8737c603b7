import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports from here on are below those that a system assigns by itself, to outgoing connections and to programs that
 * listen on port 0 (Linux from 32768, others from 49152): on a busy machine, another program may take such a port
 * before its service has bound it.
 */
const LOWEST = 15_000
const HIGHEST = 32_000
const MAX_TRIES = 100

/**
 * Reserves a port, so that neither this process nor another one chooses it again while this process lives: its caller
 * has not bound it yet, or binds it repeatedly, as a test does. The reservation is the UDP port of the same number. It
 * does not get in the way of programs that bind the TCP port, and the system releases it when the process ends.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(socket, 'listening')
    return true
  } catch {
    socket.close()
    return false
  }
}

/**
 * Starts a service on a free port. The port is chosen before the service binds it, so another program may take it in
 * between. Then another port is tried.
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

/** @param below the first port above the range */
export async function freePort(from = LOWEST, below = HIGHEST): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(from, below)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
  throw new Error('no free port on 127.0.0.1')
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await whyNotFree(port, host)) === undefined
}

/** @returns the code of the error that listening there would end with, such as EADDRINUSE; undefined if it is free */
export function whyNotFree(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code ?? 'unknown')
    })
    probe.listen(port, host, () => {
      probe.close(() => {
        resolve(undefined)
      })
    })
  })
}
