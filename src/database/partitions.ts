import type { Database } from './connection.js'

const PARTITIONED = ['messages', 'events', 'deliveries', 'delivery_attempts']
const MONTHS_AHEAD = 3

/**
 * Makes the partitions of this month and the next ones. One table after the other, each in a transaction of its
 * own: a new partition locks the table's default one, and two of those locks at once could meet a query that
 * takes them the other way round.
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
