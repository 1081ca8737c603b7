import type { Database } from './connection.js'

const UNDER_WAY = {
  messages: 'sending',
  deliveries: 'delivering',
  media: 'fetching',
  tasks: 'running',
} as const

/** Rows that are not under way any more stay as they are. */
export async function renewLeases(
  db: Database,
  table: keyof typeof UNDER_WAY,
  ids: readonly string[],
  leaseMs: number,
): Promise<void> {
  await db.raw(
    `update ${table} set lease_until = clock_timestamp() + make_interval(secs => ?)
     where id = any (?::uuid[]) and status = ?`,
    [leaseMs / 1000, [...ids], UNDER_WAY[table]],
  )
}
