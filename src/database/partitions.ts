import type { Database } from './connection.js'

const PARTITIONED = ['messages', 'events', 'deliveries', 'delivery_attempts', 'audit_log']
/** This month's and the next two: housekeeping could fail for two months before rows go to the default partition. */
const MONTHS_AHEAD = 3

/**
 * Makes the partitions of this month and the next two. Each table has a transaction of its own: a new partition locks the
 * table's default partition, and with two such locks held, a query that takes them in the other order is a deadlock.
 *
 * @returns how many were missing
 */
export async function ensurePartitions(db: Database): Promise<number> {
  let created = 0
  for (const parent of PARTITIONED) {
    const { rows } = await db.raw<{ rows: { created: number }[] }>(
      `select ensure_partitions(?, current_date, ?) as created`,
      [parent, MONTHS_AHEAD],
    )
    created += rows[0]?.created ?? 0
  }
  return created
}
