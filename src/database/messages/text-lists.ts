import type { Database } from '../connection.js'
import { countOf } from '../lists.js'
import { FORGOTTEN } from '../people/forgotten.js'
import { toJson } from '../text.js'

/** A row of a file for sending one text to many. */
export interface ListedText {
  /** Its row in the file, as a spreadsheet counts them. */
  line: number
  /** An E.164 number; null if it could not be read. */
  toNumber: string | null
  /** null if it is not to be sent, and then `reason` says why. */
  text: string | null
  reason: string | null
}

/** A row that waits. */
export interface WaitingText {
  line: number
  toNumber: string
  text: string
  /** The id of its message, which exists already if the process that queued it died before that was recorded. */
  messageId: string
  isQueued: boolean
}

/** The outcome of a row. */
export interface TextResult {
  line: number
  toNumber: string | null
  messageId: string | null
  /** The message's status; null if there is none, or it was deleted because of its age. */
  status: string | null
  error: string | null
  /** The reason why there is no message. */
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
 * Takes the next rows that wait, each with the id of its message: the one that it was given before, or else one of
 * these. If two processes both believe that the task is theirs, the second gets the ids of the first. A row may wait for
 * weeks, while its line is paused, and an id must not be that old when its message is queued (`live_bounds`).
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
       update task_texts t set message_id = case
         when t.message_id > lowest_id_at(now() - interval '6 days')
           or exists (select from messages m where m.id = t.message_id) then t.message_id
         else (:messageIds::uuid[])[n.place::integer] end
       from next n where t.task_id = :taskId::uuid and t.line_of_file = n.line_of_file and t.text is not null
       returning t.line_of_file as line, t.to_number as "toNumber", t.text, t.message_id as "messageId"
     )
     select g.*, exists (select from messages m where m.id = g."messageId") as "isQueued" from given g order by g.line`,
    { taskId, messageIds: [...messageIds], limit: messageIds.length },
  )
  return rows
}

/** Records that their messages are queued, or never will be, in the transaction that records the task's progress. */
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

/** Deletes the waiting rows of a task that is over. */
export async function dropTexts(trx: Database, taskId: string): Promise<void> {
  await trx.raw(
    `update task_texts t set text = null,
       message_id = case when exists (select from messages m where m.id = t.message_id) then t.message_id end
     where t.task_id = ?::uuid and t.text is not null`,
    [taskId],
  )
}

/**
 * Lists the rows in order of the file.
 *
 * @param afterLine only rows after it
 */
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

/** Counts the messages that wait on the line, up to `limit`. */
export async function countWaitingOnLine(db: Database, lineId: string, limit: number): Promise<number> {
  const waiting = `select 1 from messages where line_id = ? and status in ('queued', 'sending') limit ?`
  return countOf(db, `(${waiting}) w`, [lineId, limit])
}

/** As `countWaitingOnLine`, on all lines that may send by a carrier account. */
export async function countWaitingAtAccount(db: Database, name: string, limit: number): Promise<number> {
  const waiting = `select 1 from lines l join messages m on m.line_id = l.id and m.status in ('queued', 'sending')
    where is_line_at(l.carrier, l.routes, ?) limit ?`
  return countOf(db, `(${waiting}) w`, [name, limit])
}

/** True if none of the line's carrier accounts has taken a message since it last failed, apart from those that are paused. */
export async function isCarrierFailing(db: Database, lineId: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: [{ isFailing: boolean | null }] }>(
    `select bool_and(c.failing_since is not null or c.paused_at is not null) as "isFailing"
     from lines l join carrier_accounts c on is_line_at(l.carrier, l.routes, c.name) where l.id = ?`,
    [lineId],
  )
  return rows[0].isFailing === true
}

/** Returns the numbers that the line may not text: they opted out of it, or its user blocks them. */
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

/** The reason of a row whose person was forgotten while it waited. */
export const ERASED = 'Erased'

/** Rows about a person, on some lines; it needs :number and :lineIds. */
export const PERSON_TEXTS = `task_texts t join tasks w on w.id = t.task_id
  and w.line_id = any (:lineIds::uuid[]) and t.to_number = :number`

interface Listed {
  number: string
  lineIds: readonly string[]
}

/**
 * Ends the waiting rows for a person. The number stays until everything is erased: it shows whose lists are concerned.
 */
export async function endListed(db: Database, { number, lineIds }: Listed): Promise<void> {
  await db.raw(
    `update task_texts t set text = null, reason = '${ERASED}', message_id = null
     from tasks w where w.id = t.task_id and w.line_id = any (:lineIds::uuid[]) and t.to_number = :number
       and t.text is not null`,
    { number, lineIds: [...lineIds] },
  )
}

/** @returns the number of rows that had the number */
export async function eraseListed(db: Database, { number, lineIds }: Listed): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update task_texts t set to_number = '${FORGOTTEN}' from tasks w
     where w.id = t.task_id and w.line_id = any (:lineIds::uuid[]) and t.to_number = :number and t.text is null`,
    { number, lineIds: [...lineIds] },
  )
  return rowCount
}

/** Locks rows until the end of the transaction, and returns the lines of those whose person was forgotten. */
export async function lockErased(
  trx: Database,
  taskId: string,
  lines: readonly number[],
): Promise<Set<number>> {
  const { rows } = await trx.raw<{ rows: { line: number; reason: string | null }[] }>(
    `select line_of_file as line, reason from task_texts
     where task_id = ?::uuid and line_of_file = any (?::integer[]) order by line_of_file for update`,
    [taskId, [...lines]],
  )
  return new Set(rows.filter(({ reason }) => reason === ERASED).map(({ line }) => line))
}

/** Lists the rows about a person. */
export async function listTextsOf(
  db: Database,
  { number, lineIds }: Listed,
): Promise<{ lineId: string; taskId: string; text: string | null; reason: string | null }[]> {
  const { rows } = await db.raw<{
    rows: { lineId: string; taskId: string; text: string | null; reason: string | null }[]
  }>(
    `select w.line_id as "lineId", w.id as "taskId", t.text, t.reason from ${PERSON_TEXTS}
     order by w.id, t.line_of_file`,
    { number, lineIds: [...lineIds] },
  )
  return rows
}
