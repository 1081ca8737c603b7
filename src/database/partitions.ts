import type { Database } from './connection.js'

export const PARTITIONED = ['messages', 'events', 'deliveries', 'delivery_attempts', 'audit_log']
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

/** How far ahead `countPartitionsAhead` looks. */
const YEAR = 12

/** By table, how many of the months after this one have a partition. */
export async function countPartitionsAhead(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { parent: string; count: number }[] }>(
    `select parent, count(to_regclass(parent || to_char(
       date_trunc('month', now() at time zone 'UTC') + make_interval(months => month), '_YYYYMM')))::integer as count
     from unnest(?::text[]) parent cross join generate_series(1, ?::integer) month group by parent`,
    [PARTITIONED, YEAR],
  )
  return new Map(rows.map(({ parent, count }) => [parent, count]))
}

export interface PartitionsAhead {
  parent: string
  /** How many months have a partition, this one first, without a gap. */
  monthCount: number
  /** Rows of a month that nobody made a partition for: they stay when that month is dropped. */
  hasStrayRows: boolean
}

/** Looks as far ahead as `ensurePartitions` makes them. Changes nothing. */
export async function findPartitionsAhead(db: Database): Promise<PartitionsAhead[]> {
  const found: PartitionsAhead[] = []
  for (const parent of PARTITIONED) {
    const { rows } = await db.raw<{ rows: { isThere: boolean }[] }>(
      `select to_regclass(? || to_char(date_trunc('month', current_date) + make_interval(months => i), '_YYYYMM'))
         is not null as "isThere"
       from generate_series(0, ? - 1) i order by i`,
      [parent, MONTHS_AHEAD],
    )
    const gap = rows.findIndex(({ isThere }) => !isThere)
    const stray = await db(`${parent}_default`).limit(1).select(db.raw('1'))
    found.push({
      parent,
      monthCount: gap < 0 ? rows.length : gap,
      hasStrayRows: (stray as unknown[]).length > 0,
    })
  }
  return found
}
