import type { Knex } from 'knex'
import type { Database } from './connection.js'

/**
 * Rows that are pieces of work: one process at a time claims one, for as long as its lease lasts, and only the attempt
 * that it claimed writes how that ended. Messages and deliveries share the leases only: they are claimed, settled and
 * requeued many at a time, with their limits and lanes, in statements of their own.
 */
const WORK = {
  messages: { underWay: 'sending' },
  deliveries: { underWay: 'delivering' },
  media: { open: ['pending'], underWay: 'fetching', attempts: 'attempt_count' },
  tasks: { open: ['waiting', 'running'], underWay: 'running', attempts: 'claim_count' },
  // What a process has claimed of them is due again when its time is over.
  dispatches: { underWay: 'waiting', attempts: 'attempt_count' },
} as const

/** A row that this process has claimed. */
export interface Attempt {
  id: string
  /** Counts the row's attempts from 1. */
  attempt: number
}

/** A row and the generation of the job that was made for it. */
export interface RowJob {
  id: string
  generation: number
}

/** Rows that are not under way any more stay as they are. */
export async function renewLeases(
  db: Database,
  table: Exclude<keyof typeof WORK, 'dispatches'>,
  ids: readonly string[],
  leaseMs: number,
): Promise<void> {
  await db.raw(
    `update ${table} set lease_until = clock_timestamp() + make_interval(secs => ?)
     where id = any (?::uuid[]) and status = ?`,
    [leaseMs / 1000, [...ids], WORK[table].underWay],
  )
}

/** New values by column. */
export type Changes = Record<string, Knex.Value | Knex.Raw>

/**
 * Writes down how attempts went, or how far they are.
 *
 * @returns of how many: another process has the others by now, or they are over
 */
export async function writeAttempts(
  db: Database,
  table: 'media' | 'tasks' | 'dispatches',
  attempts: readonly Attempt[],
  changes: Changes,
): Promise<number> {
  const { underWay, attempts: counter } = WORK[table]
  return db(table)
    .where({ status: underWay })
    .whereRaw(`(id, ${counter}) in (select * from unnest(?::uuid[], ?::integer[]))`, [
      attempts.map(({ id }) => id),
      attempts.map(({ attempt }) => attempt),
    ])
    .update(changes)
}

/** The moment in `ms` from now, for a column. */
export function fromNow(db: Database, ms: number): Knex.Raw {
  return db.raw('clock_timestamp() + make_interval(secs => ?)', [ms / 1000])
}

/** Rows that should have been worked on a while ago and that nobody has; locked, and passed over by other sweepers. */
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

/** Gives rows that are locked a new job each. */
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
