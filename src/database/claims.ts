import type { Knex } from 'knex'
import { within, type Database } from './connection.js'

/**
 * Tables whose rows are pieces of work: one process at a time claims a row, for as long as its lease lasts, and only
 * the attempt that claimed it records how that ended. Messages and deliveries share only the leases: they are
 * claimed, settled and requeued in batches, with their limits and lanes, in separate statements.
 */
const WORK = {
  messages: { underWay: 'sending', attempts: 'attempt_count' },
  deliveries: { underWay: 'delivering', attempts: 'attempt_count' },
  media: { open: ['pending'], underWay: 'fetching', attempts: 'attempt_count' },
  tasks: { open: ['waiting', 'running'], underWay: 'running', attempts: 'claim_count' },
  // A dispatch that a process has claimed is due again when its time runs out.
  dispatches: { underWay: 'waiting', attempts: 'attempt_count' },
} as const

/** A row that this process has claimed. */
export interface Attempt {
  id: string
  /** The number of the row's attempt, from 1. */
  attempt: number
}

/** A row and the generation of the job that was made for it. */
export interface RowJob {
  id: string
  generation: number
}

type Leased = Exclude<keyof typeof WORK, 'dispatches'>

/** A row that is locked is waited for this part of a lease, so the others are renewed again in time. */
const WAIT_IN_LEASE = 8

/** SQL and its bindings: true for rows that are under way in one of these attempts, and not in a later one. */
function areUnderWay(table: keyof typeof WORK, attempts: readonly Attempt[]): [string, Knex.Value[]] {
  const { underWay, attempts: counter } = WORK[table]
  const ids = attempts.map(({ id }) => id)
  return [
    `id = any (?::uuid[]) and status = ? and (id, ${counter}) in (select * from unnest(?::uuid[], ?::integer[]))`,
    [ids, underWay, ids, attempts.map(({ attempt }) => attempt)],
  ]
}

/**
 * Renews leases. Rows that are no longer under way stay as they are, and so do those that another attempt has by now, and
 * tasks between two batches: with a lease, they would look as if they had lost their process. A row that somebody has
 * locked holds up no other: it is waited for at the end, nothing is held in the meantime, and the wait ends before the
 * other leases do.
 *
 * @throws Unavailable, also if a row stays locked: the next renewal comes soon
 */
export async function renewLeases(
  db: Database,
  table: Leased,
  attempts: readonly Attempt[],
  leaseMs: number,
): Promise<void> {
  const renew = async (on: Database, which: readonly Attempt[], whenLocked: 'skip locked' | '') => {
    const [sql, bindings] = areUnderWay(table, which)
    const inOrder = which.map(({ id }) => id).sort()
    // Their months: `= any (…)` alone would have Postgres open every partition.
    const { rows } = await on.raw<{ rows: { id: string }[] }>(
      `update ${table} set lease_until = clock_timestamp() + make_interval(secs => ?)
       where id between ? and ? and id = any (array(
         select id from ${table} where ${sql} and lease_until is not null for no key update ${whenLocked}))
       returning id`,
      [leaseMs / 1000, inOrder[0] ?? null, inOrder.at(-1) ?? null, ...bindings],
    )
    return rows.map(({ id }) => id)
  }
  const renewed = new Set(await renew(db, attempts, 'skip locked'))
  const others = attempts.filter(({ id }) => !renewed.has(id))
  if (others.length === 0) return
  const locked = new Set(
    await db(table)
      .whereRaw(...areUnderWay(table, others))
      .pluck<string[]>('id'),
  )
  for (const each of others)
    if (locked.has(each.id))
      await within(db, Math.ceil(leaseMs / WAIT_IN_LEASE), (trx) => renew(trx, [each], ''))
}

/** New values by column. */
export type Changes = Record<string, Knex.Value | Knex.Raw>

/**
 * Records the results of attempts, or their progress.
 *
 * @returns the number recorded; the rest are over, or other processes have them by now
 */
export async function writeAttempts(
  db: Database,
  table: 'media' | 'tasks' | 'dispatches',
  attempts: readonly Attempt[],
  changes: Changes,
): Promise<number> {
  return db(table)
    .whereRaw(...areUnderWay(table, attempts))
    .update(changes)
}

/** The time in `ms` from now, for a column. */
export function fromNow(db: Database, ms: number): Knex.Raw {
  return db.raw('clock_timestamp() + make_interval(secs => ?)', [ms / 1000])
}

/** Locks rows that should have been processed a while ago and that no process holds; other sweepers skip them. */
export async function lockOverdue(
  trx: Database,
  table: 'media' | 'tasks',
  overdueMs: number,
  limit: number,
): Promise<RowJob[]> {
  const { rows } = await trx.raw<{ rows: RowJob[] }>(
    `select id, job_generation as generation from ${table}
     where status in (${WORK[table].open.map((status) => `'${status}'`).join(', ')})
       and due_at < clock_timestamp() - make_interval(secs => ?)
       and (lease_until is null or lease_until < clock_timestamp())
     order by due_at limit ? for update skip locked`,
    [overdueMs / 1000, limit],
  )
  return rows
}

/** Gives each of these locked rows a new job. */
export async function renewJobs(
  trx: Database,
  table: 'media' | 'tasks',
  ids: readonly string[],
): Promise<RowJob[]> {
  const { rows } = await trx.raw<{ rows: RowJob[] }>(
    `update ${table} set job_generation = job_generation + 1, due_at = clock_timestamp()
     where id = any (?::uuid[]) returning id, job_generation as generation`,
    [[...ids]],
  )
  return rows
}
