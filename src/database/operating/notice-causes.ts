import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/** A current fault that people may have to be notified of. */
export interface PresentCause {
  kind: string
  /** The subject: an id, or the name of a queue. */
  subject: string
  /** The stage that it has reached: at a later one, people are notified once more. */
  mark: string
  /** People are notified after it has lasted this long. */
  afterMs: number
}

export interface OpenCause {
  kind: string
  subject: string
  /** True if anyone was notified since it began. */
  isTold: boolean
}

const LOCK = 'notices'
const QUIET = `interval '1 hour'`
const PRESENT = `jsonb_to_recordset(:present::jsonb) as p(kind text, subject text, mark text, "afterMs" double precision)`

/**
 * Keeps other processes from sending notifications until the transaction ends.
 *
 * @returns false if another one does so now
 */
export async function lockNotices(trx: Database): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ isMine: boolean }] }>(
    `select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as "isMine"`,
    [LOCK],
  )
  return rows[0].isMine
}

/** Records new faults, and their beginning. */
export async function openCauses(trx: Database, present: readonly PresentCause[]): Promise<void> {
  await trx.raw(
    `insert into notice_causes (kind, subject)
     select p.kind, p.subject from ${PRESENT}
     where not exists (select from notice_causes c
       where c.kind = p.kind and c.subject = p.subject and c.ended_at is null)
     on conflict (kind, subject) do update set since = clock_timestamp(), ended_at = null`,
    { present: toJson(present) },
  )
}

/**
 * Takes the faults that people have to be notified of now, oldest first: they are new or have reached a later stage,
 * and were not reported within the last hour. The caller has to send the notifications.
 */
export async function takeCauses(
  trx: Database,
  present: readonly PresentCause[],
  limit: number,
): Promise<{ kind: string; subject: string }[]> {
  const { rows } = await trx.raw<{ rows: { kind: string; subject: string }[] }>(
    `with due as (
       select c.kind, c.subject, p.mark
       from notice_causes c join ${PRESENT} on p.kind = c.kind and p.subject = c.subject
       where c.ended_at is null and c.since <= clock_timestamp() - p."afterMs" * interval '1 ms'
         and (c.told_at is null or (c.told_at <= clock_timestamp() - ${QUIET}
           and (c.told_at < c.since or c.told_mark is distinct from p.mark)))
       order by c.since, c.kind, c.subject limit :limit
     )
     update notice_causes c set told_at = clock_timestamp(), told_mark = due.mark
     from due where c.kind = due.kind and c.subject = due.subject
     returning c.kind, c.subject`,
    { present: toJson(present), limit },
  )
  return rows
}

/**
 * Does the same as `takeCauses` for something that is over immediately.
 *
 * @returns false if it was reported within the last hour
 */
export async function takeMoment(trx: Database, kind: string, subject: string): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into notice_causes as c (kind, subject, told_at, ended_at)
     values (:kind, :subject, clock_timestamp(), clock_timestamp())
     on conflict (kind, subject) do update set told_at = excluded.told_at, ended_at = excluded.ended_at
     where c.told_at <= clock_timestamp() - ${QUIET}`,
    { kind, subject },
  )
  return rowCount > 0
}

const MAX_OPEN = 10_000

export async function listOpenCauses(db: Database, kinds: readonly string[]): Promise<OpenCause[]> {
  return db('notice_causes')
    .whereIn('kind', kinds)
    .whereNull('ended_at')
    .limit(MAX_OPEN)
    .select<OpenCause[]>('kind', 'subject', db.raw('told_at >= since as "isTold"'))
}

export async function endCauses(
  trx: Database,
  causes: readonly Pick<OpenCause, 'kind' | 'subject'>[],
): Promise<void> {
  await trx.raw(
    `update notice_causes c set ended_at = clock_timestamp()
     from jsonb_to_recordset(:causes::jsonb) as o(kind text, subject text)
     where c.kind = o.kind and c.subject = o.subject and c.ended_at is null`,
    { causes: toJson(causes) },
  )
}

/** Deletes causes that are no longer needed for comparison. */
export async function deleteOldCauses(db: Database): Promise<number> {
  return db('notice_causes').whereRaw(`ended_at < now() - interval '7 days'`).delete()
}
