import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Ports from here on are below those that a system assigns by itself, to outgoing connections and to programs that
 * listen on port 0 (Linux from 32768, others from 49152): on a busy machine, another program may take such a port
 * before its service has bound it.
 */
const LOWEST = 15_000
const HIGHEST = 32_000
const MAX_TRIES = 100

/** A port is never returned twice: a caller that asks for two has bound neither yet. */
const named = new Set<number>()

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

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (named.has(port) || !(await isFree(port))) continue
    named.add(port)
    return port
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
