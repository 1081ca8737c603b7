import type { Database } from '../connection.js'
import { FORGOTTEN } from '../people/forgotten.js'
import { toJson } from '../text.js'

/** A row of a file from which one text is sent to many. */
export interface ListedText {
  /** Where it begins in the file. */
  line: number
  /** E.164; null: it could not be read. */
  toNumber: string | null
  /** null: it is not to be sent, and `reason` says why. */
  text: string | null
  reason: string | null
}

/** A row that waits. */
export interface WaitingText {
  line: number
  toNumber: string
  text: string
  /** Of its message, which is there already when whoever queued it died before that was written down. */
  messageId: string
  isQueued: boolean
}

/** What became of a row. */
export interface TextResult {
  line: number
  toNumber: string | null
  messageId: string | null
  /** Of the message; null: there is none, or it was deleted for its age. */
  status: string | null
  error: string | null
  /** Why there is no message. */
  reason: string | null
  isWaiting: boolean
}

export async function insertTexts(
  trx: Database,
  taskId: string,
  texts: readonly ListedText[],
): Promise<void> {
  await trx.raw(
    `insert into task_texts (task_id, line_of_file, to_number, text, reason)
     select ?::uuid, x.line, x."toNumber", x.text, x.reason
     from jsonb_to_recordset(?::jsonb) as x(line integer, "toNumber" text, text text, reason text)`,
    [taskId, toJson(texts)],
  )
}

/**
 * The next rows that wait, each with the id of its message: the one that it was given before, or else one of these. Whoever
 * comes second, because both believed that the task is theirs, gets the ids of the first.
 */
export async function takeTexts(
  db: Database,
  taskId: string,
  messageIds: readonly string[],
): Promise<WaitingText[]> {
  const { rows } = await db.raw<{ rows: WaitingText[] }>(
    `with next as (
       select t.line_of_file, row_number() over (order by t.line_of_file) as place from task_texts t
       where t.task_id = :taskId::uuid and t.text is not null order by t.line_of_file limit :limit
     ), given as (
       update task_texts t set message_id = coalesce(t.message_id, (:messageIds::uuid[])[n.place::integer])
       from next n where t.task_id = :taskId::uuid and t.line_of_file = n.line_of_file and t.text is not null
       returning t.line_of_file as line, t.to_number as "toNumber", t.text, t.message_id as "messageId"
     )
     select g.*, exists (select from messages m where m.id = g."messageId") as "isQueued" from given g order by g.line`,
    { taskId, messageIds: [...messageIds], limit: messageIds.length },
  )
  return rows
}

/** Their messages are queued, or never will be. In the transaction that notes how far the task is. */
export async function settleTexts(
  trx: Database,
  taskId: string,
  texts: readonly { line: number; reason: string | null }[],
): Promise<void> {
  await trx.raw(
    `update task_texts t set text = null, reason = x.reason,
       message_id = case when x.reason is null then t.message_id end
     from jsonb_to_recordset(?::jsonb) as x(line integer, reason text)
     where t.task_id = ?::uuid and t.line_of_file = x.line`,
    [toJson(texts), taskId],
  )
}

/** The task is over: nothing waits any more. */
export async function dropTexts(trx: Database, taskId: string): Promise<void> {
  await trx.raw(
    `update task_texts t set text = null,
       message_id = case when exists (select from messages m where m.id = t.message_id) then t.message_id end
     where t.task_id = ?::uuid and t.text is not null`,
    [taskId],
  )
}

/** In order of the file. @param afterLine only rows behind it */
export async function listTextResults(
  db: Database,
  taskId: string,
  { afterLine, limit }: { afterLine: number; limit: number },
): Promise<TextResult[]> {
  const { rows } = await db.raw<{ rows: TextResult[] }>(
    `select t.line_of_file as line, t.to_number as "toNumber", t.message_id as "messageId", m.status, m.error, t.reason,
       t.text is not null as "isWaiting"
     from task_texts t left join messages m on m.id = t.message_id
     where t.task_id = ?::uuid and t.line_of_file > ? order by t.line_of_file limit ?`,
    [taskId, afterLine, limit],
  )
  return rows
}

/** How many messages wait on the line, counted no further than `limit`. */
export async function countWaitingOnLine(db: Database, lineId: string, limit: number): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::integer as count from (
       select 1 from messages where line_id = ? and status in ('queued', 'sending') limit ?) w`,
    [lineId, limit],
  )
  return rows[0].count
}

/** Which of the numbers the line may not text: they opted out of it, or its user blocks them. */
export async function findUnwilling(
  db: Database,
  { lineId, userId }: { lineId: string; userId: string },
  numbers: readonly string[],
): Promise<Map<string, 'opted_out' | 'blocked'>> {
  const { rows } = await db.raw<{ rows: { number: string; why: 'opted_out' | 'blocked' }[] }>(
    `select number, 'blocked' as why from contacts
     where user_id = :userId and number = any (:numbers) and blocked_at is not null
     union all
     select number, 'opted_out' from line_peers
     where line_id = :lineId and number = any (:numbers) and opted_out_at is not null`,
    { lineId, userId, numbers: [...numbers] },
  )
  return new Map(rows.map(({ number, why }) => [number, why]))
}

/** A person is forgotten: what waits for them is not sent, and their number goes. */
export async function eraseListed(
  db: Database,
  { number, lineIds }: { number: string; lineIds: readonly string[] },
): Promise<void> {
  await db.raw(
    `update task_texts t set to_number = '${FORGOTTEN}', text = null,
       reason = case when t.text is null then t.reason else 'Erased' end,
       message_id = case when t.text is null then t.message_id end
     from tasks w where w.id = t.task_id and w.line_id = any (:lineIds::uuid[]) and t.to_number = :number`,
    { number, lineIds: [...lineIds] },
  )
}
