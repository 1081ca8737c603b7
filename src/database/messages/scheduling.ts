import { callFunction } from '../answers.js'
import { transaction, type Database } from '../connection.js'
import type { NewDelivery } from '../endpoints/deliveries/creating.js'
import { CHANGED, changeMessages, type ChangedMessage } from './announcing.js'
import { requeueHeads, type Requeued } from './requeueing.js'
import type { Ended, Settled } from './sending.js'

/** Locks a user's message that waits for its time or its turn, and returns its state before. */
const WAITING = `(
  select m.id, m.status from messages m
  where m.id = any (?::uuid[]) and m.user_id = ?::uuid and m.direction = 'outbound'
    and m.status || '' in ('scheduled', 'queued') for no key update)`

export interface Released extends Settled {
  /** Messages whose application is no longer connected. */
  failed: string[]
  /** The number that were due. */
  looked: number
}

interface ReleasedRow {
  released: Requeued[]
  deliveries: NewDelivery[]
  failed: string[]
  looked: number
}

const NONE: ReleasedRow = { released: [], deliveries: [], failed: [], looked: 0 }

/** Queues messages whose time has come, at most `limit` (`release_scheduled`). */
export async function releaseScheduled(db: Database, limit: number): Promise<Released> {
  const [row = NONE] = await callFunction<'release_scheduled', ReleasedRow>(
    db,
    'release_scheduled',
    '?::integer',
    [limit],
  )
  const { released: requeued, ...others } = row
  return { requeued, ...others }
}

/** Ends messages whose `expires_at` is over and that no worker holds. */
export async function failExpired(db: Database, limit: number): Promise<{ failed: string[] } & Ended> {
  const { changed, deliveries } = await changeMessages(
    db,
    `changed as (
       update messages m set status = 'failed', error = 'expired'
       from (select id, status from messages
             where expires_at is not null and status in ('queued', 'scheduled') and expires_at <= now()
             order by expires_at limit ? for update skip locked) b
       where m.id = b.id returning ${CHANGED}, b.status as status_before
     )`,
    [limit],
  )
  return { failed: changed.map(({ id }) => id), ...(await handOn(db, changed)), deliveries }
}

/**
 * Ends a user's message that waits.
 *
 * @param note called in the transaction if it does
 * @returns undefined if it no longer waits
 */
export async function failCancelled(
  db: Database,
  { userId, id }: { userId: string; id: string },
  note: (trx: Database) => Promise<void>,
): Promise<Ended | undefined> {
  const ended = await transaction(db, async (trx) => {
    const changes = await changeMessages(
      trx,
      `changed as (
         update messages m set status = 'failed', error = 'cancelled'
         from ${WAITING} b where m.id = any (?::uuid[]) and m.id = b.id
         returning ${CHANGED}, b.status as status_before
       )`,
      [[id], userId, [id]],
    )
    if (changes.changed.length > 0) await note(trx)
    return changes
  })
  if (ended.changed.length === 0) return undefined
  return { ...(await handOn(db, ended.changed)), deliveries: ended.deliveries }
}

/**
 * Gives a user's message another time, if no carrier was asked to send it yet. A time in the past means immediately:
 * the next run of the release picks it up. Its time is then now, because a message that has waited too long since its
 * time fails.
 *
 * @param note called in the transaction if it does
 * @returns undefined if it no longer waits, or the line has too many scheduled messages
 */
export async function reschedule(
  db: Database,
  { userId, id, sendAt }: { userId: string; id: string; sendAt: Date },
  note: (trx: Database) => Promise<void>,
): Promise<Omit<Ended, 'deliveries'> | undefined> {
  const moved = await transaction(db, async (trx) => {
    const { rows } = await trx.raw<{ rows: Waited[] }>(
      `update messages m set status = 'scheduled', send_at = at.time, due_at = at.time, not_before = null,
         is_postponed = m.send_at is null or m.is_postponed
       from ${WAITING} b, (select greatest(?::timestamptz, clock_timestamp()) as time) at
       where m.id = any (?::uuid[]) and m.id = b.id and (b.status = 'scheduled' or (
         m.claim_id is null and count_scheduled(m.line_id) < max_scheduled_per_line()))
       returning m.id, m.line_id as "lineId", m.to_number as "toNumber", b.status as "statusBefore"`,
      [[id], userId, sendAt.toISOString(), [id]],
    )
    if (rows.length > 0) await note(trx)
    return rows
  })
  return moved.length === 0 ? undefined : handOn(db, moved)
}

/**
 * A message that was queued passes its turn to the next message to its number. Nothing waits behind a scheduled one.
 */
async function handOn(db: Database, changed: readonly Waited[]): Promise<Omit<Ended, 'deliveries'>> {
  const left = changed.filter(({ statusBefore }) => statusBefore === 'queued')
  return { requeued: await requeueHeads(db, left), left }
}

type Waited = Omit<ChangedMessage, 'status'>

/** A disabled line on which messages may wait. */
export interface DisabledLine {
  id: string
  /** The time as text, because a Date would lose its microseconds. */
  disabledAt: string
}

export async function listDisabledLines(db: Database): Promise<DisabledLine[]> {
  const { rows } = await db.raw<{ rows: DisabledLine[] }>(
    `select id, disabled_at::text as "disabledAt" from lines where disabled_at is not null order by id`,
  )
  return rows
}

/** SQL: the ids of a line's messages in two states that no worker holds. Each list has an index of its own. */
const QUEUED = `select m.id from messages m where m.line_id = :lineId and m.status in ('queued', 'sending') and m.status || '' = 'queued'`
const SCHEDULED = `select m.id from messages m where m.line_id = :lineId and m.status = 'scheduled'`
const SOMETHING_WAITS = `(exists (${QUEUED}) or exists (${SCHEDULED}))`

/**
 * Ends messages that wait on a line, for their turn or for their time, if it is disabled. None passes its turn on,
 * because those behind it end as well.
 */
export async function failOnDisabledLine(
  db: Database,
  lineId: string,
  limit: number,
): Promise<{ failed: string[] } & Omit<Ended, 'requeued'>> {
  const { changed, deliveries } = await changeMessages(
    db,
    `found as materialized (
       (${QUEUED} limit :limit) union all (${SCHEDULED} limit :limit)
     ), changed as (
       update messages m set status = 'failed', error = 'line_disabled'
       from (
         select m.id, m.status from messages m join lines l on l.id = m.line_id and l.status = 'disabled'
         where m.id = any (array(select id from found limit :limit)) and m.status || '' in ('queued', 'scheduled')
         for update of m skip locked
       ) b
       where m.id = b.id returning ${CHANGED}, b.status as status_before
     )`,
    { lineId, limit },
  )
  const left = changed.filter(({ statusBefore }) => statusBefore === 'queued')
  return { failed: changed.map(({ id }) => id), left, deliveries }
}

/** True if the line is disabled and messages still wait on it, which were locked when the others ended. */
export async function hasWaitingOnDisabledLine(db: Database, lineId: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from lines where id = :lineId and status = 'disabled' and ${SOMETHING_WAITS}`,
    { lineId },
  )
  return rows.length > 0
}

/**
 * Records that nothing waits on a disabled line any more. Does nothing if something still does because it was locked,
 * or if the line has been enabled and disabled again since.
 */
export async function noteNothingWaits(db: Database, { id, disabledAt }: DisabledLine): Promise<void> {
  await db.raw(
    `update lines set disabled_at = null
     where id = :lineId and disabled_at = cast(:disabledAt as timestamptz) and not ${SOMETHING_WAITS}`,
    { lineId: id, disabledAt },
  )
}
