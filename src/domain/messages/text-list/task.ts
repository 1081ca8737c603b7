import { transaction, type Database } from '../../../database/connection.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import {
  countWaitingAtAccount,
  countWaitingOnLine,
  ERASED,
  insertTexts,
  isCarrierFailing,
  listTextResults,
  lockErased,
  settleTexts,
  takeTexts,
  type TextResult,
  type WaitingText,
} from '../../../database/messages/text-lists.js'
import { endForgotten } from '../../../database/people/ending.js'
import { eraseMessages } from '../../../database/people/erasing.js'
import { listPausesOfLine } from '../../../database/operating/pauses.js'
import { advanceTask, type ClaimedTask } from '../../../database/operating/tasks.js'
import { Unavailable, UserError } from '../../../errors.js'
import { newId } from '../../../ids.js'
import type { Context } from '../../context.js'
import { getOwnLine } from '../../lines/lines.js'
import type { Batch } from '../../operating/tasks/batch.js'
import { addTask, getTask, type Task } from '../../operating/tasks.js'
import { isLineFull, postMessages } from '../post.js'
import { LINE_DISABLED } from '../submit/refusals.js'
import { findPaces } from './pace.js'
import { explainRefusal, planList, type AskedList } from './plan.js'

/** The batch is one statement. */
const BATCH = 100
/** A line that is paused, or whose queue is full, is tried again after this time. */
const FULL_WAIT_MS = 2000
/**
 * A list leaves room in the line's queue for other messages, and texts that are not queued yet can still be stopped.
 */
const SHARE_OF_QUEUE = 0.5
/** A queued text expires, and one that is not queued yet does not: so no more wait than go out in this part of that time. */
const SHARE_OF_LIFE = 0.25
const ROWS_AT_ONCE = 1000

/**
 * Starts a background task that sends a text to every good row of a file. Its numbers and texts are in separate rows,
 * and each text is deleted from there when its message is queued, or the task is over.
 *
 * @param id the id of the task, which the form made: if it is sent twice, the second finds the task of the first
 * @throws UserError 400 for the file, 403 if the line is disabled, 409 if too many tasks are under way
 */
export async function startTextList(
  context: Context,
  line: OwnLine,
  asked: AskedList,
  id: string,
): Promise<Task> {
  if (line.status !== 'active') throw new UserError(LINE_DISABLED, 403)
  const { texts, goodCount } = await planList(context, line, asked)
  if (goodCount === 0) throw new UserError('None of the rows can be sent')
  return addTask(
    context,
    {
      id,
      kind: 'text_list',
      userId: line.userId,
      lineId: line.id,
      applicationId: null,
      asked: {},
      totalCount: goodCount,
    },
    {
      action: 'line.text_list.started',
      subjectId: line.id,
      userId: line.userId,
      after: { count: goodCount, skipped: texts.length - goodCount },
    },
    async (trx) => {
      for (let from = 0; from < texts.length; from += ROWS_AT_ONCE) {
        await insertTexts(trx, id, texts.slice(from, from + ROWS_AT_ONCE))
      }
    },
  )
}

/**
 * Queues the next messages of such a task (`tasks/run.ts`). None is queued twice: a process that continues where
 * another one died finds the messages by their ids, and the idempotency key of each row guards against one that only
 * seemed to be dead.
 *
 * @throws UserError if the line is gone or disabled
 */
export async function queueListBatch(context: Context, task: ClaimedTask): Promise<Batch> {
  const { userId, lineId } = task
  if (userId === null || lineId === null) throw new Error('A list requires its owner and line')
  const line = await getOwnLine(context, userId, lineId)
  if (line.status !== 'active') throw new UserError(LINE_DISABLED, 403)
  const limit = Math.min(BATCH, await roomOf(context, line))
  if (limit === 0) return { count: 0, isLast: false, waitMs: FULL_WAIT_MS }

  const taken = await takeTexts(
    context.db,
    task.id,
    Array.from({ length: limit }, () => newId()),
  )
  const missing = taken.filter(({ isQueued }) => !isQueued)
  const answers = await postMessages(
    context,
    missing.map((each) => messageOf(task, { userId, lineId }, each)),
  )
  const { settled, error, hasWaiting } = judge(missing, answers)
  const done = [...taken.filter(({ isQueued }) => isQueued).map(queued), ...settled]
  await transaction(context.db, async (trx) => {
    const erased = await lockErased(
      trx,
      task.id,
      taken.map(({ line: each }) => each),
    )
    await eraseQueued(
      trx,
      taken.filter((each) => erased.has(each.line)),
    )
    const refused = done
      .map((each) => (erased.has(each.line) ? { ...each, reason: ERASED } : each))
      .filter(({ reason }) => reason !== null)
    await settleTexts(
      trx,
      task.id,
      done.filter((each) => !erased.has(each.line)),
    )
    await advanceTask(trx, task, {
      position: task.position,
      doneCount: done.length - refused.length,
      failedCount: refused.length,
      ...(refused.length === 0 ? {} : { lastFailure: refused.at(-1)?.reason ?? '' }),
    })
  })
  return {
    count: done.length,
    isLast: taken.length < limit && !hasWaiting,
    waitMs: hasWaiting ? FULL_WAIT_MS : 0,
    ...(error === undefined ? {} : { error }),
  }
}

/**
 * Their person was forgotten between our reading the row and queueing its message, which nobody else would find any
 * more.
 */
async function eraseQueued(trx: Database, texts: readonly WaitingText[]): Promise<void> {
  await endForgotten(
    trx,
    texts.map(({ messageId }) => messageId),
  )
  for (const { toNumber, messageId } of texts) await eraseMessages(trx, toNumber, [messageId])
}

async function roomOf(context: Context, line: OwnLine): Promise<number> {
  const { db, config } = context
  if ((await listPausesOfLine(db, line.id)).length > 0) return 0
  const sentInTime = (perMinute: number) =>
    Math.max(1, Math.round((perMinute * config.messageTtlMs * SHARE_OF_LIFE) / 60_000))
  const { perMinute, ofAccount, account } = await findPaces(context, line)
  const most = Math.min(
    Math.max(1, Math.round(config.maxQueuedPerLine * SHARE_OF_QUEUE)),
    sentInTime(perMinute),
  )
  const waitingCount = await countWaitingOnLine(db, line.id, most)
  // One text shows when the carrier works again, or when the account's other lines leave room.
  const least = waitingCount === 0 ? 1 : 0
  if (await isCarrierFailing(db, line.id)) return least
  const room = most - waitingCount
  if (ofAccount === null || room === 0) return room
  const mostAtAccount = sentInTime(ofAccount)
  const roomAtAccount = mostAtAccount - (await countWaitingAtAccount(db, account, mostAtAccount))
  return Math.max(least, Math.min(room, roomAtAccount))
}

function messageOf(task: ClaimedTask, whose: { userId: string; lineId: string }, text: WaitingText) {
  return {
    ...whose,
    id: text.messageId,
    applicationId: undefined,
    isFromConsole: true,
    toNumber: text.toNumber,
    text: text.text,
    idempotencyKey: `${task.id}:${text.line}`,
  }
}

interface Settled {
  line: number
  reason: string | null
}

const queued = ({ line }: { line: number }): Settled => ({ line, reason: null })

/** Texts without room wait. A cap ends the task: the sender should know about it, and not be surprised the next day. */
function judge(texts: readonly WaitingText[], answers: readonly (string | Error)[]) {
  const settled: Settled[] = []
  let error: string | undefined
  let hasWaiting = false
  for (const [n, text] of texts.entries()) {
    const answer = answers[n]
    if (typeof answer === 'string') settled.push(queued(text))
    else if (answer instanceof Unavailable || isLineFull(answer) || isInFlight(answer)) hasWaiting = true
    else if (!(answer instanceof UserError)) throw answer ?? new Error('a row has no result')
    else if (answer.status === 429) error ??= answer.message
    else settled.push({ line: text.line, reason: explainRefusal(answer.message) })
  }
  return { settled, error, hasWaiting }
}

/** Another process is working on the row right now. */
function isInFlight(answer: unknown): boolean {
  return answer instanceof UserError && answer.status === 409
}

/**
 * Returns the results of every row, in order of the file.
 *
 * @throws UserError 404 if the user has no such task
 */
export async function readTextResults(
  context: Context,
  userId: string,
  taskId: string,
): Promise<AsyncIterable<TextResult>> {
  const task = await getTask(context, userId, taskId)
  if (task.kind !== 'text_list') throw new UserError('This task has no results', 404)
  return eachResult(context, task.id)
}

async function* eachResult({ db }: Context, taskId: string): AsyncGenerator<TextResult> {
  for (let afterLine = 0; ;) {
    const rows = await listTextResults(db, taskId, { afterLine, limit: ROWS_AT_ONCE })
    yield* rows
    afterLine = rows.at(-1)?.line ?? afterLine
    if (rows.length < ROWS_AT_ONCE) return
  }
}
