import type { Database } from '../connection.js'
import { CHANGED, changeMessages } from './announcing.js'
import type { Ended } from './sending.js'

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

/**
 * Ends messages that wait on a line, for their turn or for their time, if it is disabled. None is handed on to, because
 * those behind end as well.
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

/**
 * Notes that nothing waits on a disabled line any more. Does nothing if something does, because it was locked, or if the
 * line was enabled and disabled again meanwhile.
 */
export async function noteNothingWaits(db: Database, { id, disabledAt }: DisabledLine): Promise<void> {
  await db.raw(
    `update lines set disabled_at = null
     where id = :lineId and disabled_at = cast(:disabledAt as timestamptz) and not exists (${QUEUED}) and not exists (${SCHEDULED})`,
    { lineId: id, disabledAt },
  )
}
