import { asError } from '../../errors.js'
import { every, type Timer } from './every.js'
import type { Logger } from '../../telemetry/log.js'

/** Keeps leases alive while the work under them is done, so that a lease can be short and a dead worker is noticed soon. */
export interface Heartbeat {
  /** Does the work and renews its lease at each beat. Work that ends within one beat needs no renewal. */
  during<Result>(id: string, work: () => Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

/**
 * @param renew takes the ids whose work has gone on for a beat or more; if it fails, it is tried again with the next
 *   beat, because a lease lasts several
 */
export function createHeartbeat(
  beatMs: number,
  renew: (ids: readonly string[]) => Promise<unknown>,
  log: Logger,
): Heartbeat {
  const startedAt = new Map<string, number>()
  let timer: Timer | undefined

  const beat = async () => {
    const now = performance.now()
    const ids = [...startedAt].filter(([, since]) => now - since >= beatMs).map(([id]) => id)
    if (ids.length === 0) return
    await renew(ids).catch((error: unknown) => {
      log.warn({ count: ids.length, err: asError(error) }, 'leases.not_renewed')
    })
  }

  return {
    during: async (id, work) => {
      timer ??= every(beatMs, beat, log, 'leases')
      startedAt.set(id, performance.now())
      try {
        return await work()
      } finally {
        startedAt.delete(id)
      }
    },
    stop: async () => {
      await timer?.stop()
    },
  }
}
