import type { Database } from './connection.js'
import { withTableLock } from './table-lock.js'

const PARTITIONED = [
  'messages',
  'events',
  'deliveries',
  'delivery_attempts',
  'listener_attempts',
  'audit_log',
]
/**
 * These are this month and the next two: housekeeping could fail for two months before rows go to the default
 * partition.
 */
const MONTHS_AHEAD = 3

/**
 * Makes the partitions of this month and the next two. Each table has a separate transaction: a new partition locks
 * the table's default partition, and with two such locks held, a query that takes them in the other order is a
 * deadlock. If a table is in use all the time, as during a backup, the next housekeeping makes its partitions.
 *
 * @returns the number that were made
 */
export async function ensurePartitions(db: Database): Promise<number> {
  let created = 0
  for (const parent of PARTITIONED) {
    const made = await withTableLock(db, async (trx) => {
      const { rows } = await trx.raw<{ rows: { created: number }[] }>(
        `select ensure_partitions(?, (now() at time zone 'UTC')::date, ?) as created`,
        [parent, MONTHS_AHEAD],
      )
      return rows[0]?.created
    })
    created += made ?? 0
  }
  return created
}

/**
 * Raises the bounds below which no message or delivery moves by itself any more, so that statements need not open the months
 * below (`raise_live_bounds`).
 *
 * @returns the number of bounds that changed
 */
export async function raiseLiveBounds(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { changed: number }[] }>('select raise_live_bounds() as changed')
  return rows[0]?.changed ?? 0
}

export interface PartitionsAhead {
  parent: string
  /** The number of months with a partition, from this one on, without a gap: no more than `ensurePartitions` makes. */
  monthCount: number
  /** Those that do not exist, such as `messages_202612`. */
  missing: string[]
}

/** Returns by table how far ahead partitions exist. It changes nothing. */
export async function findPartitionsAhead(db: Database): Promise<PartitionsAhead[]> {
  const { rows } = await db.raw<{ rows: { parent: string; name: string; isThere: boolean }[] }>(
    `select parent, name, to_regclass(name) is not null as "isThere"
     from unnest(?::text[]) with ordinality as p (parent, n)
     cross join generate_series(0, ? - 1) month
     cross join lateral (select parent || to_char(
       date_trunc('month', now() at time zone 'UTC') + make_interval(months => month), '_YYYYMM')) m (name)
     order by n, month`,
    [PARTITIONED, MONTHS_AHEAD],
  )
  return PARTITIONED.map((parent) => {
    const months = rows.filter((row) => row.parent === parent)
    const gap = months.findIndex(({ isThere }) => !isThere)
    return {
      parent,
      monthCount: gap < 0 ? months.length : gap,
      missing: months.filter(({ isThere }) => !isThere).map(({ name }) => name),
    }
  })
}

/** Finds the tables with rows of a month that has no partition: they stay when that month is dropped. */
export async function findStrayTables(db: Database): Promise<string[]> {
  const found: string[] = []
  for (const parent of PARTITIONED) {
    const row: unknown = await db(`${parent}_default`).first(db.raw('1'))
    if (row !== undefined) found.push(parent)
  }
  return found
}
