import type { Carrier } from '../../carriers/carrier.js'
import { available } from '../../database/connection.js'
import { postponeMessage, type ClaimAnswer, type MessageToSend } from '../../database/messages/sending.js'
import { lookAtMessagesAgain } from '../../database/messages/stranded.js'
import { failQueuedMessages, type Settlement } from '../../database/messages/settling.js'
import { newId } from '../../ids.js'
import { findCarrier } from '../carriers.js'
import type { Context } from '../context.js'
import { persist } from '../persist.js'
import { handOver } from './hand-over.js'
import { refillPlaces, takePlaces } from './places.js'

/** Its predecessor, or its media, enqueue it; the sweeper looks after it should their worker die. */
const BEHIND_CHECK_MS = 30_000

/** Far less than a lease has beside the carrier's own time. */
const MAX_CLAIM_AGE_MS = 5000

/** What a timer may be ahead of its time. */
const EARLY_MS = 50

/** What the holder of a carrier's sessions does besides the carrier's call, and how soon to ask again. */
const HOLDER_MARGIN_MS = 5000
const HOLDER_PAUSE_MS = 1000

export type SendOutcome =
  | { kind: 'sent' }
  | { kind: 'failed'; error: string }
  /** Perhaps sent: never again by itself. */
  | { kind: 'unknown'; error: string }
  /** Not now: no attempt was used up. */
  | {
      kind: 'wait'
      ms: number
      reason: 'window' | 'paused' | 'early' | 'too_late' | 'throttled' | 'unavailable'
    }
  /** An earlier message to the same number comes first and will bring this one. */
  | { kind: 'behind' }
  /** Its media are being copied; the end of that brings it. */
  | { kind: 'without_media' }
  /** Somebody else has it, or it is over. */
  | { kind: 'skipped' }

/** Sends a queued message through its line's carrier, if its turn has come. */
export async function sendMessage(context: Context, id: string): Promise<SendOutcome> {
  const startedAt = performance.now()
  const message = await context.batched.loadMessage(id)
  if (message?.status !== 'queued') return { kind: 'skipped' }
  if (context.carriers.isHeldElsewhere(message.account)) {
    const outcome = await askHolder(context, message)
    if (outcome !== undefined) return outcome
  }
  const outcome = await advance(context, message)
  if (outcome.kind !== 'skipped') {
    const { kind, ...details } = outcome
    const durationMs = Math.round(performance.now() - startedAt)
    context.log.info(
      { messageId: id, lineId: message.lineId, outcome: kind, ...details, durationMs },
      `message.${kind}`,
    )
  }
  return outcome
}

/**
 * The process that holds the account's sessions does all the rest. If it did not answer in time it may do so yet:
 * whoever looks again finds in the row what became of it.
 *
 * @returns undefined when there is no such process now
 */
async function askHolder(
  { calls, config }: Context,
  { id, account }: MessageToSend,
): Promise<SendOutcome | undefined> {
  const answer = await calls.ask(sendingService(account.id), id, config.carrierTimeoutMs + HOLDER_MARGIN_MS)
  switch (answer.kind) {
    case 'answered':
      return JSON.parse(answer.text) as SendOutcome
    case 'unserved':
      return undefined
    case 'unanswered':
      return { kind: 'wait', ms: HOLDER_PAUSE_MS, reason: 'unavailable' }
  }
}

/** By which the process that holds an account's sessions is asked to send a message. */
export function sendingService(accountId: string): string {
  return `send:${accountId}`
}

async function advance(context: Context, message: MessageToSend): Promise<SendOutcome> {
  const carrier = await findCarrier(context, message.account)
  const refusal = findRefusal(context, message, carrier)
  if (refusal !== undefined || carrier === undefined) {
    const { id, lineId, toNumber } = message
    const error = refusal ?? 'carrier_missing'
    const failures = [{ id, lineId, toNumber, error }]
    const { requeued, deliveries } = await available(() => failQueuedMessages(context.db, failures))
    void context.queues.enqueueMessages(requeued)
    void context.queues.enqueueDeliveries(deliveries)
    return { kind: 'failed', error }
  }
  // A job that came early, by a clock that is ahead of Postgres's.
  if (message.earlyMs > EARLY_MS) return { kind: 'wait', ms: message.earlyMs, reason: 'early' }
  if (message.isBehind) {
    await lookAtMessagesAgain(context.db, [message.id], BEHIND_CHECK_MS)
    return { kind: 'behind' }
  }

  if (message.hasMedia && message.media?.status !== 'stored') {
    await lookAtMessagesAgain(context.db, [message.id], BEHIND_CHECK_MS)
    return { kind: 'without_media' }
  }
  if (message.pausedMs > 0) {
    await postponeMessage(context.db, message, message.pausedMs)
    return { kind: 'wait', ms: message.pausedMs, reason: 'paused' }
  }

  const waitMs = await takePlaces(context, message)
  if (waitMs > 0) return waitForPlace(context, message, waitMs)

  const claimingAt = performance.now()
  const claim = newId()
  const answer = await claimOrGiveBack(context, message, claim)
  if (answer.kind === 'missed') return { kind: 'skipped' }
  if (answer.kind === 'full') {
    await refillPlaces(context, message, answer.ms)
    return waitForPlace(context, message, answer.ms)
  }
  // This process was stopped meanwhile: others may have taken the claim for lost, and sent what comes after it.
  if (performance.now() - claimingAt > MAX_CLAIM_AGE_MS) {
    await giveBack(context, message, claim)
    return { kind: 'wait', ms: 0, reason: 'too_late' }
  }
  const settlement = await handOver(context, carrier, message, { attempt: answer.attempt, claim })
  await persist(() => context.batched.settleMessage(settlement))
  return outcomeOf(settlement)
}

async function waitForPlace(context: Context, message: MessageToSend, ms: number): Promise<SendOutcome> {
  await postponeMessage(context.db, message, ms)
  return { kind: 'wait', ms, reason: 'window' }
}

/**
 * A claim whose answer is lost may be in the row: nobody would send the message, and its lease would end as `unknown`.
 *
 * @throws Unavailable
 */
async function claimOrGiveBack(
  context: Context,
  message: MessageToSend,
  claim: string,
): Promise<ClaimAnswer> {
  try {
    return await context.batched.claimMessage({ id: message.id, claim })
  } catch (error) {
    await giveBack(context, message, claim)
    throw error
  }
}

/** The message was claimed, if at all, and certainly not handed over. */
async function giveBack(
  context: Context,
  { id, lineId, toNumber }: MessageToSend,
  claim: string,
): Promise<void> {
  const settlement: Settlement = { id, lineId, toNumber, claim, status: 'queued', uncounted: true }
  await persist(() => context.batched.settleMessage(settlement))
}

/** Looked at once more when its turn has come: much may have happened since the message was accepted. */
function findRefusal(
  context: Context,
  message: MessageToSend,
  carrier: Carrier | undefined,
): string | undefined {
  if (message.ageMs > context.config.messageTtlMs) return 'expired'
  if (message.lineStatus !== 'active') return 'line_disabled'
  if (message.isOptedOut) return 'opted_out'
  if (carrier === undefined) return 'carrier_missing'
  if (message.media?.status === 'failed') return message.media.failure ?? 'media_internal_error'
  return undefined
}

function outcomeOf({ status, error = '', dueInMs = 0 }: Settlement): SendOutcome {
  switch (status) {
    case 'sent':
      return { kind: 'sent' }
    case 'queued':
      return { kind: 'wait', ms: dueInMs, reason: error === 'throttled' ? 'throttled' : 'unavailable' }
    case 'failed':
    case 'unknown':
      return { kind: status, error }
  }
}
