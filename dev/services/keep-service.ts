import { setTimeout as sleep } from 'node:timers/promises'
import { sayWhile } from '../start/say-while.js'
import type { EmbeddedService } from './postgres.js'

export interface KeepOptions {
  name: string
  /** Starts the service. Without a port it takes a free one. */
  start: (options: { port?: number; signal?: AbortSignal }) => Promise<EmbeddedService>
  log: (line: string) => void
  /** Its abort ends the wait for the first start. */
  signal?: AbortSignal | undefined
}

export interface KeptService {
  url: string
  stop(): Promise<void>
}

/** A killed Postgres leaves its memory to backends that need a moment to end, so an immediate start would fail. */
const FIRST_PAUSE_MS = 500
/**
 * A service that cannot start (a full disk) is back this soon after the fault is fixed, and its log grows slowly
 * until then.
 */
const LONGEST_PAUSE_MS = 10_000

/**
 * Starts a service. Whenever it ends by itself, it is started again on the same port, because others know its URL. A
 * start that fails is repeated, because a killed service may leave something behind for a moment: the backends of
 * Postgres hold its memory.
 *
 * @throws Error if the first start fails
 */
export async function keepService({ name, start, log, signal }: KeepOptions): Promise<KeptService> {
  const startPatiently = (options: { port?: number; signal?: AbortSignal }) =>
    sayWhile(start(options), () => `${name} is not ready`, log)

  let service = await startPatiently(signal ? { signal } : {})
  const { url } = service
  const port = Number(new URL(url).port)
  const stopping = new AbortController()

  const startAgain = async (): Promise<EmbeddedService | undefined> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await sleep(pauseMs, undefined, { signal: stopping.signal })
        log(`${name}: starting again`)
        return await startPatiently({ port, signal: stopping.signal })
      } catch (error) {
        if (stopping.signal.aborted) return undefined
        log(error instanceof Error ? error.message : String(error))
      }
    }
  }

  const keep = async () => {
    for (;;) {
      await service.ended
      const next = stopping.signal.aborted ? undefined : await startAgain()
      if (next === undefined) return
      service = next
      // `stop` was called during this start, and has stopped the service before this one.
      if (stopping.signal.aborted) await service.stop()
    }
  }

  const kept = keep()
  return {
    url,
    stop: async () => {
      stopping.abort()
      await Promise.all([service.stop(), kept])
    },
  }
}
