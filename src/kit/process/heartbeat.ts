import { asError } from '../../errors.js'
import { every, type Timer } from './every.js'
import type { Logger } from '../../telemetry/log.js'

/** Keeps leases alive while the work under them is done, so that a lease can be short and a dead worker is noticed soon. */
export interface Heartbeat<Claim extends object> {
  /**
   * Does the work and renews its lease at each beat. Work that ends within one beat needs no renewal. A row that was
   * lost and claimed again has two claims for a while, also in one process, and each ends by itself.
   */
  during<Result>(claim: Claim, work: () => Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

/**
 * @param renew takes the claims whose work has gone on for a beat or more; if it fails, it is tried again with the next
 *   beat, because a lease lasts several
 */
export function createHeartbeat<Claim extends object>(
  beatMs: number,
  renew: (claims: readonly Claim[]) => Promise<unknown>,
  log: Logger,
): Heartbeat<Claim> {
  const startedAt = new Map<Claim, number>()
  let timer: Timer | undefined

  const beat = async () => {
    const now = performance.now()
    const claims = [...startedAt].filter(([, since]) => now - since >= beatMs).map(([claim]) => claim)
    if (claims.length === 0) return
    await renew(claims).catch((error: unknown) => {
      log.warn({ count: claims.length, err: asError(error) }, 'leases.not_renewed')
    })
  }

  return {
    during: async (claim, work) => {
      timer ??= every(beatMs, beat, log, 'leases')
      startedAt.set(claim, performance.now())
      try {
        return await work()
      } finally {
        startedAt.delete(claim)
      }
    },
    stop: async () => {
      await timer?.stop()
    },
  }
}
