import type { Database } from '../../connection.js'
import { withTableLock } from '../../table-lock.js'

/** Data that one setting keeps for a number of days, and that are dropped month by month. */
export type RetainedKind = 'messages' | 'audit'

/**
 * The tables of each kind, in the order in which their partitions are dropped. Deliveries come first: a user may have
 * resent one a moment ago, in which case nothing of its month may be dropped.
 */
export const TABLES_OF: Record<RetainedKind, readonly string[]> = {
  messages: ['deliveries', 'delivery_attempts', 'listener_attempts', 'events', 'messages'],
  audit: ['audit_log'],
}

/** A month of a kind that is wholly older than the days for which it is kept. */
export interface OldMonth {
  /** A month such as `2026-01`. */
  month: string
  /** The start of the month, and of the next one. */
  from: Date
  until: Date
  /** Those of its partitions that exist. */
  partitions: { table: string; name: string }[]
  /** The bytes of these, with their indexes. */
  byteCount: number
  /** The number that Postgres estimates. */
  rowCount: number
}

/** Lists the oldest first. */
export async function listOldMonths(db: Database, kind: RetainedKind, days: number): Promise<OldMonth[]> {
  const { rows } = await db.raw<{ rows: OldMonth[] }>(
    `with found as (
       select parent.relname as "table", part.relname as name, pg_total_relation_size(part.oid) as bytes,
         greatest(part.reltuples, 0) as tuples, to_date(right(part.relname, 6), 'YYYYMM')::timestamp as month
       from pg_inherits i join pg_class parent on parent.oid = i.inhparent join pg_class part on part.oid = i.inhrelid
       where i.inhparent = any (?::regclass[]) and part.relname ~ ('^' || parent.relname || '_[0-9]{6}$')
     )
     select to_char(month, 'YYYY-MM') as month, month at time zone 'UTC' as "from",
       (month + interval '1 month') at time zone 'UTC' as until,
       json_agg(json_build_object('table', "table", 'name', name)) as partitions,
       sum(bytes)::float8 as "byteCount", sum(tuples)::float8 as "rowCount"
     from found
     where (month + interval '1 month') at time zone 'UTC' <= now() - make_interval(days => ?)
     group by month order by month`,
    [[...TABLES_OF[kind]], days],
  )
  return rows
}

/** True if rows of a kind that are old enough are in no month's partition, so that they are not dropped with one. */
export async function hasOldStrayRows(db: Database, kind: RetainedKind, days: number): Promise<boolean> {
  for (const table of TABLES_OF[kind]) {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      `select 1 from ?? where id < lowest_id_at(now() - make_interval(days => ?)) limit 1`,
      [`${table}_default`, days],
    )
    if (rows.length > 0) return true
  }
  return false
}

/** The states that a partition must not contain to be dropped, each found by an index of only such rows. */
const UNDER_WAY: Record<string, readonly string[]> = {
  messages: ['scheduled', 'queued', 'sending'],
  deliveries: ['pending', 'delivering', 'held'],
}

/**
 * Drops the partition of one table, in a transaction of its own: with locks on two tables, a statement that takes
 * them in the other order is a deadlock. (`detach concurrently` needs no such lock, but is not allowed with a default
 * partition.) The table itself is locked before the last look, so that nothing in the partition can get under way
 * after it. The files are deleted after the lock is released.
 *
 * @returns `kept` if something in it is under way, `busy` if the lock could not be taken
 */
export async function dropPartition(
  db: Database,
  { table, name }: { table: string; name: string },
): Promise<'dropped' | 'kept' | 'busy'> {
  const outcome = await withTableLock(db, async (trx) => {
    // Making a partition takes the same lock first.
    await trx.raw(`select pg_advisory_xact_lock(hashtextextended('ensure_partitions ' || ?, 0))`, [table])
    await trx.raw('lock table only ?? in access exclusive mode', [table])
    const { rows: found } = await trx.raw<{ rows: { isThere: boolean }[] }>(
      `select to_regclass(?) is not null as "isThere"`,
      [name],
    )
    if (found[0]?.isThere !== true) return 'dropped'
    for (const status of UNDER_WAY[table] ?? []) {
      const { rows } = await trx.raw<{ rows: unknown[] }>(
        `select 1 from ?? where status = '${status}' limit 1`,
        [name],
      )
      if (rows.length > 0) return 'kept'
    }
    await trx.raw('drop table ??', [name])
    return 'dropped'
  })
  return outcome ?? 'busy'
}
