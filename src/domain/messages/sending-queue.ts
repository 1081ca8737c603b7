import type { Database } from '../../database/connection.js'
import { hasAccounts, listLinesAt } from '../../database/carriers/carrier-accounts.js'
import type { Requeued } from '../../database/messages/requeueing.js'
import { asError } from '../../errors.js'
import { redisAvailable } from '../../kit/redis/redis.js'
import type { AccountLanes } from '../../queues/account-lanes.js'
import type { Queues } from '../../queues/queues.js'
import type { Logger } from '../../telemetry/log.js'
import { jobsNotEnqueued } from '../../telemetry/metrics.js'

/** A queued message, and the job that it gets if it needs one. */
interface QueuedMessage extends Requeued {
  lineId: string
}

/**
 * Queued messages wait here to be sent: in the lane of their carrier account, if a process has to hold its sessions,
 * and otherwise as jobs of `send-message`. Recent changes to an account may not be known here yet. That is harmless: a
 * worker that cannot send the message passes it on.
 */
export interface SendingQueue {
  /** Never fails: the sweep enqueues what could not be enqueued here. */
  enqueue(messages: readonly QueuedMessage[]): Promise<void>
  /**
   * Returns which messages are on their way to a worker.
   *
   * @param reader the transaction that has locked the messages, if there is one: a second connection of the pool
   *   might come only after others that wait for these locks
   * @returns their ids
   * @throws Unavailable
   */
  waiting(messages: readonly QueuedMessage[], reader?: Database): Promise<Set<string>>
}

interface Tools {
  db: Database
  queues: Queues
  accountLanes: AccountLanes
  log: Logger
  /** The kinds of carriers whose accounts have sessions. */
  heldKinds: readonly string[]
}

/** How long other accounts, or a line's move, may go unnoticed. */
const KNOWN_MS = 5000
const LINES_KNOWN_MS = 60_000
/** This bounds the memory. A busy installation has fewer lines than this at its accounts with sessions. */
const MAX_LINES = 50_000

export function createSendingQueue({ db, queues, accountLanes, log, heldKinds }: Tools): SendingQueue {
  let areThere: Promise<boolean> | undefined
  let readAt = -Infinity
  /** null if it is not at such an account. */
  let accountOfLine = new Map<string, string | null>()
  let linesReadAt = -Infinity

  async function areAccountsHeld(reader: Database, now: number): Promise<boolean> {
    if (areThere === undefined || now - readAt > KNOWN_MS) {
      readAt = now
      areThere = hasAccounts(reader, heldKinds)
      // The next caller reads again.
      areThere.catch(() => (areThere = undefined))
    }
    return areThere
  }

  async function knowLines(reader: Database, lineIds: readonly string[], now: number): Promise<void> {
    if (now - linesReadAt > LINES_KNOWN_MS || accountOfLine.size > MAX_LINES) {
      accountOfLine = new Map()
      linesReadAt = now
    }
    const unknown = [...new Set(lineIds)].filter((id) => !accountOfLine.has(id))
    if (unknown.length === 0) return
    const known = accountOfLine
    const found = await listLinesAt(reader, unknown, heldKinds)
    for (const id of unknown) known.set(id, null)
    for (const { lineId, accountId } of found) known.set(lineId, accountId)
  }

  /** Divides messages by their account's lane; those under `undefined` get jobs. */
  async function divide(
    messages: readonly QueuedMessage[],
    reader: Database,
  ): Promise<Map<string | undefined, QueuedMessage[]>> {
    const now = performance.now()
    if (messages.length === 0 || !(await areAccountsHeld(reader, now)))
      return new Map([[undefined, [...messages]]])
    await knowLines(
      reader,
      messages.map(({ lineId }) => lineId),
      now,
    )
    const divided = new Map<string | undefined, QueuedMessage[]>()
    for (const message of messages) {
      const accountId = accountOfLine.get(message.lineId) ?? undefined
      const others = divided.get(accountId)
      if (others === undefined) divided.set(accountId, [message])
      else others.push(message)
    }
    return divided
  }

  /**
   * Without a process that takes them, they also get jobs, which report this for each message, and fail expired ones.
   */
  async function put(accountId: string, messages: readonly QueuedMessage[]): Promise<void> {
    try {
      const ids = messages.map(({ id }) => id)
      if (!(await accountLanes.put(accountId, ids))) await queues.enqueueMessages(messages)
    } catch (error) {
      const details = { carrierAccountId: accountId, count: messages.length }
      jobsNotEnqueued.inc({ queue: 'send-message' }, messages.length)
      log.warn({ ...details, err: asError(error) }, 'queue.enqueue_failed')
    }
  }

  return {
    enqueue: async (messages) => {
      const divided = await divide(messages, db).catch(() => new Map([[undefined, [...messages]]]))
      await Promise.all(
        [...divided].map(([accountId, each]) =>
          accountId === undefined ? queues.enqueueMessages(each) : put(accountId, each),
        ),
      )
    },
    waiting: async (messages, reader = db) => {
      const found = await Promise.all(
        [...(await divide(messages, reader))].map(([accountId, each]) =>
          accountId === undefined
            ? queues.existingJobs('send-message', each)
            : redisAvailable(() =>
                accountLanes.waiting(
                  accountId,
                  each.map(({ id }) => id),
                ),
              ),
        ),
      )
      return new Set(found.flatMap((ids) => [...ids]))
    },
  }
}
