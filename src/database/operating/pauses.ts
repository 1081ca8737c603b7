import type { Database } from '../connection.js'

/**
 * What people pause: a line's sending, that of all lines of a carrier account, all sending, and an endpoint's
 * deliveries. The table with one row needs no id.
 */
export type PausableRow =
  | { table: 'lines' | 'endpoints' | 'carrier_accounts'; id: string }
  | { table: 'all_sending' }

/** Who pauses. If `userId` is null, it is the command line. */
export interface PausedBy {
  userId: string | null
  /** True for an owner, who cannot take over another person's pause; an operator takes over the owner's. */
  isOwner: boolean
}

/** @returns false if it is paused already, by the same person or by one whose pause takes precedence */
export async function pauseRow(db: Database, row: PausableRow, by: PausedBy): Promise<boolean> {
  const changed = await rowOf(db, row)
    .where((query) => {
      void query.whereNull('paused_at')
      if (hasOwner(row) && !by.isOwner) void query.orWhereRaw('paused_by = user_id')
    })
    .update({
      paused_at: db.raw('coalesce(paused_at, clock_timestamp())'),
      paused_by: by.userId,
      // A line that was enabled a moment ago still has held events to release, whether it may send or not.
      ...(row.table === 'endpoints' || row.table === 'lines' ? {} : { resumed_at: null }),
    })
  return changed > 0
}

/**
 * An endpoint must not be disabled for failing while it was not called, so the time of the pause does not count.
 *
 * @returns false if it is not paused, or was paused by someone other than the owner who asks
 */
export async function resumeRow(
  db: Database,
  row: PausableRow,
  { isOwner }: Pick<PausedBy, 'isOwner'>,
): Promise<boolean> {
  const changed = await rowOf(db, row)
    .whereNotNull('paused_at')
    .modify((query) => {
      if (isOwner) void query.whereRaw('paused_by = user_id')
    })
    .update({
      paused_at: null,
      paused_by: null,
      ...(row.table === 'endpoints'
        ? {
            failing_since: db.raw('failing_since + (clock_timestamp() - greatest(paused_at, failing_since))'),
          }
        : { resumed_at: db.raw('clock_timestamp()') }),
      // Messages that wait for another account of their line may go through this one again.
      ...(row.table === 'carrier_accounts' ? { recovered_at: db.raw('clock_timestamp()') } : {}),
    })
  return changed > 0
}

export async function isPaused(db: Database, row: PausableRow): Promise<boolean> {
  return (await rowOf(db, row).whereNotNull('paused_at').first('paused_at')) !== undefined
}

function rowOf(db: Database, row: PausableRow) {
  return db(row.table).modify((query) => {
    if (row.table !== 'all_sending') void query.where({ id: row.id })
  })
}

function hasOwner({ table }: PausableRow): boolean {
  return table === 'lines' || table === 'endpoints'
}

/** The current state of all sending. */
export interface AllSending {
  /** null if it is not paused. */
  pausedAt: Date | null
  /** The operator's email address; null if it is not known, as for the command line. */
  pausedBy: string | null
}

export async function findAllSending(db: Database): Promise<AllSending> {
  const row = await db('all_sending as s')
    .leftJoin('users as u', 'u.id', 's.paused_by')
    .first<AllSending | undefined>({ pausedAt: 's.paused_at', pausedBy: 'u.email' })
  return row ?? { pausedAt: null, pausedBy: null }
}

/** The pause that keeps a line from sending; the one closest to the line takes precedence. */
export interface SendingPause {
  what: 'line' | 'account' | 'all'
  since: Date
  /** True if the line's owner paused it. */
  isByOwner: boolean
}

export async function listPausesOfLine(db: Database, lineId: string): Promise<SendingPause[]> {
  const { rows } = await db.raw<{ rows: SendingPause[] }>(
    `select p.what, p.since, p."isByOwner" from lines l
     -- A line whose other accounts go on is not held back.
     left join lateral (
       select max(c.paused_at) as paused_at from carrier_accounts c
       where is_line_at(l.carrier, l.routes, c.name) having bool_and(c.paused_at is not null)
     ) a on true
     cross join lateral (
       select 1 as n, 'line' as what, l.paused_at as since, l.paused_by is not distinct from l.user_id as "isByOwner"
       union all select 2, 'account', a.paused_at, false
       union all select 3, 'all', (select paused_at from all_sending), false
     ) p
     where l.id = ? and p.since is not null order by p.n`,
    [lineId],
  )
  return rows
}

/** A line or an account that is paused, apart from all sending, as operators see it. */
export interface PausedThing {
  kind: 'line' | 'account'
  id: string
  /** A line's number, or an account's name. */
  name: string
  /** The line's owner. */
  userId: string | null
  pausedAt: Date
  /** The person's email address; null if it is not known, as for the command line. */
  pausedBy: string | null
}

/** Lists accounts first, then lines, both in the order in which they were made. */
export async function listPaused(db: Database, limit: number): Promise<PausedThing[]> {
  const { rows } = await db.raw<{ rows: PausedThing[] }>(
    `select p.kind, p.id, p.name, p.user_id as "userId", p.paused_at as "pausedAt", u.email as "pausedBy" from (
       (select 1 as n, 'account' as kind, id, name, null::uuid as user_id, paused_at, paused_by from carrier_accounts
        where paused_at is not null)
       union all
       (select 2, 'line', id, number, user_id, paused_at, paused_by from lines
        where paused_at is not null order by id limit ?)
     ) p
     left join users u on u.id = p.paused_by
     order by p.n, p.id limit ?`,
    [limit, limit],
  )
  return rows
}
