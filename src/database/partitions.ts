import type { Database } from './connection.js'

const PARTITIONED = ['messages', 'events', 'deliveries', 'delivery_attempts']
const MONTHS_AHEAD = 3

/** Makes the partitions of this month and the next ones. @returns how many were missing */
export async function ensurePartitions(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { created: number }[] }>(
    `select ensure_partitions(parent, current_date, ?) as created from unnest(?::text[]) as parent`,
    [MONTHS_AHEAD, PARTITIONED],
  )
  return rows.reduce((sum, row) => sum + row.created, 0)
}
