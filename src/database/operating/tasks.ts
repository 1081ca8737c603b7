import {
  columnsOf,
  count,
  internal,
  moment,
  oneOf,
  orNull,
  shown,
  text,
  url,
  uuid,
  type Row,
} from '../../shape.js'
import { fromNow, writeAttempts, type Attempt, type Changes, type RowJob } from '../claims.js'
import { transaction, type Database } from '../connection.js'
import { countOf, type Page } from '../lists.js'
import { dropTexts } from '../messages/text-lists.js'
import { toJson } from '../text.js'

const TASK_KINDS = ['replay', 'held_events', 'retry', 'import', 'text_list'] as const
export type TaskKind = (typeof TASK_KINDS)[number]

const TASK_STATUSES = ['waiting', 'running', 'done', 'stopped', 'failed'] as const

export const TASK_FIELDS = {
  id: shown('w.id', uuid),
  kind: shown('w.kind', oneOf(...TASK_KINDS)),
  status: shown(
    'w.status',
    oneOf(...TASK_STATUSES),
    '`stopped`: someone stopped it, or its owner was disabled. `failed`: see `error`.',
  ),
  userId: internal('w.user_id', orNull(uuid)),
  lineId: shown(
    'w.line_id',
    orNull(uuid),
    'The {line} that the events or texts belong to. Null if there are several.',
  ),
  applicationId: shown('w.application_id', orNull(uuid), 'The application that the events belong to.'),
  url: shown(
    "w.asked ->> 'url'",
    orNull(url),
    "The URL that events are replayed to, if it is not the endpoint's own.",
  ),
  totalCount: shown('w.total_count', orNull(count), 'Null while they are still being counted.'),
  doneCount: shown('w.done_count', count),
  failedCount: shown(
    'w.failed_count',
    count,
    'The number that were refused, or that the other URL rejected.',
  ),
  lastFailure: shown('w.last_failure', orNull(text), 'The name of the last failure, such as `http_500`.'),
  error: shown('w.error', orNull(text), 'Why it ended early.'),
  stopAskedAt: internal('w.stop_asked_at', orNull(moment)),
  createdAt: shown('w.created_at', moment),
  startedAt: shown('w.started_at', orNull(moment)),
  endedAt: shown('w.ended_at', orNull(moment)),
}

const COLUMNS = columnsOf(TASK_FIELDS)

/** A background task, as people see it. */
export type Task = Row<typeof TASK_FIELDS>

/** A task that this process continues. */
export interface ClaimedTask extends Attempt {
  kind: TaskKind
  userId: string | null
  lineId: string | null
  applicationId: string | null
  asked: unknown
  totalCount: number | null
  doneCount: number
  failedCount: number
  failedInARow: number
  /** The id up to which it is done. */
  position: string
  /** The number of processes in a row that were gone before a batch of it was over. */
  lostCount: number
  isStopAsked: boolean
  isOwnerDisabled: boolean
}

export interface NewTask {
  id: string
  kind: TaskKind
  userId: string | null
  lineId: string | null
  applicationId: string | null
  asked: object
  totalCount: number | null
}

const OPEN = `status in ('waiting', 'running')`

/**
 * @param maxOpen the limit for the user, and for each application: with as many open tasks none is added. They are
 *   counted under the user's lock
 * @returns true if it was added; false also if there is one with this id
 */
export async function insertTask(trx: Database, task: NewTask, maxOpen: number): Promise<boolean> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended(?, 8))`, [task.userId ?? 'operators'])
  const { rows } = await trx.raw<{ rows: object[] }>(
    `insert into tasks (id, kind, user_id, line_id, application_id, asked, total_count)
     select ?::uuid, ?, ?::uuid, ?::uuid, ?::uuid, ?::jsonb, ?::integer
     where (select count(*) from tasks where ${OPEN} and user_id is not distinct from ?::uuid
       and application_id is not distinct from ?::uuid) < ?
     on conflict (id) do nothing
     returning id`,
    [
      task.id,
      task.kind,
      task.userId,
      task.lineId,
      task.applicationId,
      toJson(task.asked),
      task.totalCount,
      task.userId,
      task.applicationId,
      maxOpen,
    ],
  )
  return rows.length > 0
}

/** @param userId undefined for operators, who may see any user's */
export async function findTask(
  db: Database,
  userId: string | undefined,
  id: string,
): Promise<Task | undefined> {
  const { rows } = await db.raw<{ rows: Task[] }>(
    `select ${COLUMNS} from tasks w where w.id = ?::uuid and (?::uuid is null or w.user_id = ?::uuid)`,
    [id, userId ?? null, userId ?? null],
  )
  return rows[0]
}

/** Finds any user's tasks, for operators. */
export async function findTasksByIds(db: Database, ids: readonly string[]): Promise<Task[]> {
  const { rows } = await db.raw<{ rows: Task[] }>(
    `select ${COLUMNS} from tasks w where w.id = any (?::uuid[])`,
    [[...ids]],
  )
  return rows
}

/**
 * Lists the newest first.
 *
 * @param userId undefined for operators, who may see every user's
 * @param only limits the list to this line or application
 */
export async function listTasks(
  db: Database,
  userId: string | undefined,
  { before, limit }: Page,
  { lineId, applicationId }: { lineId?: string | undefined; applicationId?: string | undefined } = {},
): Promise<Task[]> {
  const { rows } = await db.raw<{ rows: Task[] }>(
    `select ${COLUMNS} from tasks w
     where (?::uuid is null or w.user_id = ?::uuid) and (?::uuid is null or w.id < ?::uuid)
       and (?::uuid is null or w.line_id = ?::uuid) and (?::uuid is null or w.application_id = ?::uuid)
     order by w.id desc limit ?`,
    [
      ...[userId, userId, before, before, lineId, lineId, applicationId, applicationId].map(
        (each) => each ?? null,
      ),
      limit,
    ],
  )
  return rows
}

/**
 * A waiting task stops immediately; a running one stops when its batch is over.
 *
 * @returns its job, and whether this is the first request; undefined if it is over
 */
export async function requestStop(
  trx: Database,
  id: string,
): Promise<(RowJob & { isFirst: boolean }) | undefined> {
  // `now()` is the time of this transaction.
  const { rows } = await trx.raw<{ rows: (RowJob & { isFirst: boolean })[] }>(
    `update tasks set stop_asked_at = coalesce(stop_asked_at, now()), due_at = clock_timestamp(),
       job_generation = job_generation + 1
     where id = ?::uuid and ${OPEN} returning id, job_generation as generation, stop_asked_at = now() as "isFirst"`,
    [id],
  )
  return rows[0]
}

/**
 * Claims a task that waits, or that runs in a process that is gone, for as long as the lease lasts. Such a process may
 * have died of the task, and the tasks beside it are lost as often as that one. So only one that was lost runs at a
 * time, and each that is harmless soon has a batch that succeeds.
 *
 * @returns the task, or the milliseconds until it may be claimed, 0 if another one that was lost has to end its batch
 *   first; undefined if it is over
 */
export async function claimTask(
  db: Database,
  id: string,
  leaseMs: number,
): Promise<ClaimedTask | { inMs: number } | undefined> {
  const { rows } = await db.raw<{ rows: ClaimedTask[] }>(
    `update tasks w set status = 'running', started_at = coalesce(w.started_at, clock_timestamp()),
       claim_count = w.claim_count + 1, lost_count = w.lost_count + (w.lease_until is not null)::integer,
       lease_until = clock_timestamp() + make_interval(secs => ?)
     where w.id = ?::uuid and w.${OPEN} and w.due_at <= clock_timestamp() + interval '50 milliseconds'
       and (w.lease_until is null or w.lease_until < clock_timestamp())
       and case when w.lease_until is null and w.lost_count = 0 then true
         when pg_try_advisory_xact_lock(hashtextextended('lost tasks', 0)) then not exists (
           select from tasks o where o.${OPEN} and o.id <> w.id and o.lost_count > 0
             and o.lease_until >= clock_timestamp())
         else false end
     returning w.id, w.kind, w.user_id as "userId", w.line_id as "lineId", w.application_id as "applicationId", w.asked,
       w.total_count as "totalCount", w.done_count as "doneCount", w.failed_count as "failedCount",
       w.failed_in_a_row as "failedInARow", w.position, w.claim_count as attempt, w.lost_count as "lostCount",
       w.stop_asked_at is not null as "isStopAsked",
       exists (select from users u where u.id = w.user_id and u.disabled_at is not null) as "isOwnerDisabled"`,
    [leaseMs / 1000, id],
  )
  if (rows[0] !== undefined) return rows[0]
  const { rows: waiting } = await db.raw<{ rows: { inMs: number }[] }>(
    `select greatest(ceil(extract(epoch from greatest(due_at, lease_until) - clock_timestamp()) * 1000), 0)::float8
       as "inMs"
     from tasks where id = ?::uuid and ${OPEN}`,
    [id],
  )
  return waiting[0]
}

/** The progress of a batch. */
export interface TaskProgress {
  position: string
  doneCount: number
  failedCount?: number
  failedInARow?: number
  lastFailure?: string
}

/** Another process continues it: the batch of this process must not be recorded. */
export class ClaimLost extends Error {
  override name = 'ClaimLost'
}

const NO_FAULTS = { crash_count: 0, lost_count: 0 }

/** @throws ClaimLost */
async function write(db: Database, task: Attempt, changes: Changes): Promise<void> {
  if ((await writeAttempts(db, 'tasks', [task], changes)) === 0) throw new ClaimLost()
}

/**
 * Records the progress in the transaction that does the batch, so that neither exists without the other.
 *
 * @throws ClaimLost
 */
export async function advanceTask(trx: Database, task: Attempt, progress: TaskProgress): Promise<void> {
  const { position, doneCount, failedCount = 0, failedInARow = 0, lastFailure } = progress
  await write(trx, task, {
    position,
    done_count: trx.raw('done_count + ?', [doneCount]),
    failed_count: trx.raw('failed_count + ?', [failedCount]),
    failed_in_a_row: failedInARow,
    ...(lastFailure !== undefined && { last_failure: lastFailure }),
    ...NO_FAULTS,
  })
}

/** @throws ClaimLost */
export async function setTaskTotal(db: Database, task: Attempt, totalCount: number): Promise<void> {
  await write(db, task, { total_count: totalCount })
}

/** Releases a task after a batch, so that the process that has its job continues it after this time. */
export async function releaseTask(db: Database, task: Attempt, inMs: number): Promise<void> {
  await writeAttempts(db, 'tasks', [task], { lease_until: null, due_at: fromNow(db, inMs), ...NO_FAULTS })
}

/**
 * Releases a task whose batch could not be done now. Otherwise it would count as lost. What is still under way of the
 * batch can no longer be recorded.
 */
export async function putOffTask(db: Database, task: Attempt, inMs: number): Promise<void> {
  await writeAttempts(db, 'tasks', [task], {
    lease_until: null,
    due_at: fromNow(db, inMs),
    claim_count: db.raw('claim_count + 1'),
  })
}

/**
 * Ends a task; what was done stays done.
 *
 * @returns false if another process continues it
 */
export async function endTask(
  db: Database,
  task: Attempt,
  status: 'done' | 'stopped' | 'failed',
  error: string | null,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    const ended = await writeAttempts(trx, 'tasks', [task], {
      status,
      error,
      lease_until: null,
      ended_at: trx.raw('clock_timestamp()'),
      ...(status === 'done' && { total_count: trx.raw('done_count + failed_count') }),
    })
    if (ended > 0) await dropTexts(trx, task.id)
    return ended > 0
  })
}

/** The text lists that are under way and were started before then. */
const UNDER_WAY = `kind = 'text_list' and ${OPEN} and created_at < ?::timestamptz`

/** Ends them, as `endTask` does with one that this process has claimed. A process that has claimed one loses it. */
export async function stopTextLists(
  trx: Database,
  before: Date,
  error: string,
): Promise<Pick<Task, 'id' | 'kind' | 'userId' | 'doneCount' | 'totalCount'>[]> {
  const { rows } = await trx.raw<{
    rows: Pick<Task, 'id' | 'kind' | 'userId' | 'doneCount' | 'totalCount'>[]
  }>(
    `update tasks set status = 'stopped', error = ?, lease_until = null, claim_count = claim_count + 1,
       ended_at = clock_timestamp()
     where ${UNDER_WAY}
     returning id, kind, user_id as "userId", done_count as "doneCount", total_count as "totalCount"`,
    [error, before.toISOString()],
  )
  for (const { id } of rows) await dropTexts(trx, id)
  return rows
}

/** Counts what `stopTextLists` would find. */
export async function countTextLists(db: Database, before: Date): Promise<number> {
  return countOf(db, `tasks where ${UNDER_WAY}`, [before.toISOString()])
}

/**
 * Counts a crash of a batch. Does nothing if another process continues the task by now.
 *
 * @returns true if it was given up
 */
export async function recordTaskCrash(
  db: Database,
  { id, attempt }: Attempt,
  maxCrashes: number,
  waitMs: number,
  error: string,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    const { rows } = await trx.raw<{ rows: { status: string }[] }>(
      `update tasks set crash_count = crash_count + 1, lease_until = null,
         due_at = clock_timestamp() + make_interval(secs => ?),
         status = case when crash_count + 1 >= ? then 'failed' else status end,
         error = case when crash_count + 1 >= ? then ? end,
         ended_at = case when crash_count + 1 >= ? then clock_timestamp() end
       where id = ?::uuid and claim_count = ? and status = 'running' returning status`,
      [waitMs / 1000, maxCrashes, maxCrashes, error, maxCrashes, id, attempt],
    )
    const isGivenUp = rows[0]?.status === 'failed'
    if (isGivenUp) await dropTexts(trx, id)
    return isGivenUp
  })
}

/** @returns their number */
export async function deleteOldTasks(db: Database, keptDays: number, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from tasks where id in (select id from tasks
       where ended_at < now() - make_interval(days => ?) order by ended_at limit ?)`,
    [keptDays, limit],
  )
  return rowCount
}
