import { repeatable, transaction, type Database } from '../../database/connection.js'
import { lockLines } from '../../database/lines.js'
import {
  receiveMessages,
  type ReceiveAnswer,
  type Received,
  type ReceiveRequest,
} from '../../database/messages/receiving.js'
import { requeueHeads, type Conversation } from '../../database/messages/requeueing.js'
import { asError } from '../../errors.js'
import type { Queues } from '../../queues/queues.js'
import type { SlidingWindows } from '../../sliding-window.js'
import type { Logger } from '../../telemetry/log.js'
import { hearKeywords, type Heard, type Keyword } from '../opt-out/keywords.js'
import { numberWindowKey } from './windows.js'

/** A message that a carrier has brought, and what it says about being written to. */
export interface Inbound extends ReceiveRequest {
  said?: { keyword: Keyword; isAnswered: boolean; receivedAt?: Date | undefined } | undefined
}

interface Tools {
  db: Database
  queues: Queues
  windows: SlidingWindows
  log: Logger
}

/**
 * Takes in a batch, whoever brought it, and then enqueues what comes of it. The enqueuing is not awaited: the rows are
 * committed, and the answer does not need Redis.
 */
export async function receiveBatch(tools: Tools, batch: readonly Inbound[]): Promise<ReceiveAnswer[]> {
  const { db, queues } = tools
  const { answers, heard } = await takeIn(db, batch)
  const received = batch.flatMap((inbound, n) => {
    const answer = answers[n]
    return answer?.kind === 'received' ? [{ inbound, answer }] : []
  })
  void queues.enqueueDeliveries([...received.flatMap(({ answer }) => answer.deliveries), ...heard.deliveries])
  void queues.enqueueMessages(heard.answers)
  void queues.enqueueMedia(
    received.flatMap(({ inbound: { media } }) => (media ? [{ id: media.id, generation: 0 }] : [])),
  )
  void giveTurns(tools, received)
  return answers
}

/** Needs one statement, and a transaction only where a message is STOP, START or HELP. */
async function takeIn(
  db: Database,
  batch: readonly Inbound[],
): Promise<{ answers: ReceiveAnswer[]; heard: Heard }> {
  const saying = batch.filter(({ said }) => said !== undefined)
  if (saying.length === 0) {
    const answers = await repeatable(() => receiveMessages(db, batch))
    return { answers, heard: { answers: [], deliveries: [] } }
  }
  return transaction(db, async (trx) => {
    // These locks come first: whoever queues messages holds them while it waits for rows that are locked here later.
    const numbers = saying.map(({ toNumber }) => toNumber)
    await lockLines(trx, numbers)
    const answers = await receiveMessages(trx, batch)
    const messages = batch.flatMap(({ messageId: id, fromNumber, said }, n) => {
      const answer = answers[n]
      if (said === undefined || answer?.kind !== 'received') return []
      return [{ id, lineId: answer.lineId, fromNumber, ...said }]
    })
    return { answers, heard: await hearKeywords(trx, messages) }
  })
}

/**
 * Empties the sending windows of the senders' numbers, even where nothing was sent to them: that is cheaper than to find
 * out. Then the first message that waits for each number gets a new job, which finds a place. The order matters: so a
 * message that is told to wait in between gets a job too. If either step fails, messages wait up to a minute longer.
 */
async function giveTurns(
  { db, queues, windows, log }: Tools,
  received: readonly { inbound: Inbound; answer: Received }[],
): Promise<void> {
  const free = received.filter(({ answer }) => !answer.isPaused)
  const conversations = free.map(({ inbound, answer }) => ({
    lineId: answer.lineId,
    toNumber: inbound.fromNumber,
    isWaitedFor: answer.isWaitedFor,
  }))
  const waiting: Conversation[] = conversations.filter(({ isWaitedFor }) => isWaitedFor)
  const keys = new Set(conversations.map(({ lineId, toNumber }) => numberWindowKey(lineId, toNumber)))
  try {
    if (keys.size > 0) await windows.clear(keys)
    if (waiting.length > 0) await queues.enqueueMessages(await requeueHeads(db, waiting))
  } catch (error) {
    log.warn({ count: keys.size, err: asError(error) }, 'window.clear_failed')
  }
}
