import type { Database } from '../connection.js'
import { requeueHeads, type Conversation, type Requeued } from './turns.js'

export interface DueRow {
  id: string
  generation: number
  /** An earlier message to the same number is not over: its end will enqueue this one. */
  isBehind: boolean
}

/**
 * Queued messages that should have been worked on a while ago. The rows stay locked until the transaction ends,
 * and other sweepers pass over them.
 */
export async function lockOverdueMessages(
  trx: Database,
  overdueMs: number,
  limit: number,
): Promise<DueRow[]> {
  const { rows } = await trx.raw<{ rows: DueRow[] }>(
    `select m.id, m.job_generation as generation, exists (
       select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
         and p.status in ('queued', 'sending') and p.id < m.id) as "isBehind"
     from messages m where m.status = 'queued' and m.due_at < clock_timestamp() - make_interval(secs => ?)
     order by m.due_at limit ? for update skip locked`,
    [overdueMs / 1000, limit],
  )
  return rows
}

/** @returns whether the message was given up: with the fifth crash it is dead, and shown as failed */
export async function recordMessageCrash(db: Database, id: string, maxCrashes: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { status: string }[] }>(
    `update messages set crash_count = crash_count + 1,
       status = case when crash_count + 1 >= ? then 'failed' else status end,
       error = case when crash_count + 1 >= ? then 'internal_error' else error end
     where id = ? and status = 'queued' returning status`,
    [maxCrashes, maxCrashes, id],
  )
  return rows[0]?.status === 'failed'
}

/** The messages of lost workers: perhaps sent, so never sent again by themselves (architecture, the one rule). */
export async function expireLeases(
  db: Database,
  limit: number,
): Promise<{ expired: string[]; requeued: Requeued[] }> {
  const { rows } = await db.raw<{ rows: ({ id: string } & Conversation)[] }>(
    `update messages set status = 'unknown', error = 'worker_lost', lease_until = null
     where id in (select id from messages where status = 'sending' and lease_until < now()
                  order by lease_until limit ? for update skip locked)
     returning id, line_id as "lineId", to_number as "toNumber"`,
    [limit],
  )
  return { expired: rows.map(({ id }) => id), requeued: await requeueHeads(db, rows) }
}
