import type { Database } from '../database/connection.js'
import { renewLeases, type Attempt } from '../database/claims.js'
import { createHeartbeat, type Heartbeat } from '../kit/process/heartbeat.js'
import type { Logger } from '../telemetry/log.js'

/**
 * Leases are renewed while the task lasts, so they can be short, and a dead worker's rows are picked up within seconds.
 * A message's lease is longer than a delivery's: when it ends, a user has to judge whether the text was sent.
 */
export const LEASE_MS = { messages: 15_000, deliveries: 8000, media: 15_000, tasks: 10_000 } as const

/**
 * After this long a claim is no longer used: its process may have been suspended, and its lease may end while the
 * request is under way. The shortest lease (8 s) has 3 s left then. A shorter age would give back what a busy process
 * has claimed.
 */
export const MAX_CLAIM_AGE_MS = 5000

/**
 * A message that waits for an earlier one, or for its media, gets its job from them. After this time the sweep
 * checks, in case their process died.
 */
export const LOST_WAKER_MS = 30_000

/** A lease outlasts a renewal or two that fail. */
const BEATS_IN_LEASE = 4

/** The leases of the work that this process has under way. */
export type Leases = Record<keyof typeof LEASE_MS, Heartbeat<Attempt>>

/** @param leaseMs only tests give others */
export function createLeases(
  db: Database,
  log: Logger,
  leaseMs: Record<keyof typeof LEASE_MS, number> = LEASE_MS,
): Leases {
  const leasesOf = (table: keyof typeof LEASE_MS) =>
    createHeartbeat(
      leaseMs[table] / BEATS_IN_LEASE,
      (attempts: readonly Attempt[]) => renewLeases(db, table, attempts, leaseMs[table]),
      log,
    )
  return {
    messages: leasesOf('messages'),
    deliveries: leasesOf('deliveries'),
    media: leasesOf('media'),
    tasks: leasesOf('tasks'),
  }
}

export async function stopLeases(leases: Leases): Promise<void> {
  await Promise.all(Object.values(leases).map((lease) => lease.stop()))
}
