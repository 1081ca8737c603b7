import type { Database } from '../database/connection.js'
import { renewLeases } from '../database/leases.js'
import { createHeartbeat, type Heartbeat } from '../heartbeat.js'
import type { Logger } from '../telemetry/log.js'

/**
 * Renewed while the work lasts, so that what a dead worker had is taken up after seconds. A message's is longer: when it
 * is over, a person has to judge whether the text was sent.
 */
export const LEASE_MS = { messages: 15_000, deliveries: 8000, media: 15_000 } as const

const BEATS_IN_LEASE = 4

/** Of what this process has under way. */
export type Leases = Record<keyof typeof LEASE_MS, Heartbeat>

/** @param leaseMs others only in tests */
export function createLeases(
  db: Database,
  log: Logger,
  leaseMs: Record<keyof typeof LEASE_MS, number> = LEASE_MS,
): Leases {
  const leasesOf = (table: keyof typeof LEASE_MS) =>
    createHeartbeat(
      leaseMs[table] / BEATS_IN_LEASE,
      (ids) => renewLeases(db, table, ids, leaseMs[table]),
      log,
    )
  return { messages: leasesOf('messages'), deliveries: leasesOf('deliveries'), media: leasesOf('media') }
}

export async function stopLeases(leases: Leases): Promise<void> {
  await Promise.all([leases.messages.stop(), leases.deliveries.stop(), leases.media.stop()])
}
