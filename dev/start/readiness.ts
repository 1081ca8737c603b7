import { isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../src/config.js'
import { sayWhile } from './say-while.js'

/** A person waits for the banner and does not notice a tenth of a second. */
const LOOK_MS = 100
/** /readyz answers within a second, whatever the stores do, so a `web` that takes longer is broken. */
const ANSWER_MS = 5000

/** Waits until `web` can accept messages, and says in the meantime what is missing. The abort of `signal` ends the wait. */
export async function untilReady(
  config: Pick<Config, 'host' | 'port'>,
  print: (line: string) => void,
  signal: AbortSignal,
  everyMs?: number,
): Promise<void> {
  let missing: string | undefined = 'web does not answer'
  const wait = async () => {
    while (!signal.aborted) {
      missing = await findMissing(config, signal)
      if (missing === undefined) return
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  await sayWhile(wait(), () => missing ?? '', print, everyMs)
}

async function findMissing(
  { host, port }: Pick<Config, 'host' | 'port'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  const url = `http://${isIPv6(address) ? `[${address}]` : address}:${port}/readyz`
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) })
    if (response.ok) return undefined
    const { postgres } = (await response.json()) as { postgres?: string }
    return `web answers, but Postgres is ${String(postgres)}`
  } catch {
    return `web does not answer at ${url}`
  }
}
