import { setTimeout as sleep } from 'node:timers/promises'
import { askEarlier, type Conversation } from '../../../database/messages/requeueing.js'
import { asError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { leaveWindows } from '../windows.js'

/** A message that was waiting for its turn, and no longer needs one. */
export type LeftMessage = { id: string } & Conversation

type Tools = Pick<Context, 'db' | 'windows' | 'queues' | 'log'>

const LEAVE_AT_ONCE = 1000
/** Claims of the line wait as long as one batch takes. */
const ASK_AT_ONCE = 500

/**
 * A run moves all messages that wait behind. So that somebody who cancels one message after another does not keep
 * everyone busy, the next run comes no sooner than this, and no sooner than nine times as long as the last one took.
 */
const REST_MS = 500
const REST_FACTOR = 9

/** The messages of a process that have left and still have their places. */
interface Leaving {
  messages: LeftMessage[]
  run: Promise<void> | undefined
  restsUntil: number
  closing: AbortController
}

const leavingOf = new WeakMap<Context['queues'], Leaving>()

/**
 * Called after the commit that ended or postponed messages which waited for their turns. Each has given those behind it
 * a later time, in the windows of its line and in the pace of its account, which many users share. So it gives its
 * places back, and those behind ask earlier.
 *
 * Never fails, and callers need not wait: a place that is not given back opens at the time that the message was given.
 */
export async function givePlacesBack(context: Tools, messages: readonly LeftMessage[]): Promise<void> {
  if (messages.length === 0) return
  let leaving = leavingOf.get(context.queues)
  if (leaving === undefined) {
    leaving = { messages: [], run: undefined, restsUntil: 0, closing: new AbortController() }
    leavingOf.set(context.queues, leaving)
  }
  for (const { id, lineId, toNumber } of messages) leaving.messages.push({ id, lineId, toNumber })
  await (leaving.run ??= runAll(context, leaving))
}

/** Called when the process closes, before its stores do; there is no pause between runs then. */
export async function giveLastPlacesBack(queues: Context['queues']): Promise<void> {
  const leaving = leavingOf.get(queues)
  leaving?.closing.abort()
  await leaving?.run
}

async function runAll(context: Tools, leaving: Leaving): Promise<void> {
  while (leaving.messages.length > 0) {
    await rest(leaving)
    const startedAt = performance.now()
    const messages = leaving.messages
    leaving.messages = []
    for (let from = 0; from < messages.length; from += LEAVE_AT_ONCE) {
      await giveBack(context, messages.slice(from, from + LEAVE_AT_ONCE))
    }
    const tookMs = performance.now() - startedAt
    leaving.restsUntil = performance.now() + Math.max(REST_MS, tookMs * REST_FACTOR)
  }
  leaving.run = undefined
}

async function rest({ restsUntil, closing: { signal } }: Leaving): Promise<void> {
  const restMs = restsUntil - performance.now()
  if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined)
}

async function giveBack(context: Tools, messages: readonly LeftMessage[]): Promise<void> {
  const { db, queues, log } = context
  try {
    const told = await leaveWindows(context, messages)
    for (let from = 0; from < told.length; from += ASK_AT_ONCE) {
      await queues.enqueueMessages(await askEarlier(db, told.slice(from, from + ASK_AT_ONCE)))
    }
  } catch (error) {
    log.warn({ count: messages.length, err: asError(error) }, 'message.places_not_given_back')
  }
}
