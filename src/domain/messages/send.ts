import type { CarrierClient } from '../../carriers/carrier.js'
import {
  failQueuedMessages,
  noteCountry,
  postponeMessage,
  type ClaimAnswer,
  type ClaimRequest,
  type MessageToSend,
  type Settlement,
} from '../../database/messages/sending.js'
import { recordMessageCrash } from '../../database/messages/stranded.js'
import { mayBeDone } from '../../database/outage.js'
import { newId } from '../../ids.js'
import { isShort } from '../../kit/text/segments.js'
import type { MediaReason, MessageReason } from '../../states.js'
import { idOf, logPlain, word } from '../../telemetry/plain-line.js'
import { findCarrierClient } from '../carriers/carrier-clients.js'
import { SettingsUnreadable } from '../carriers/carrier-settings.js'
import type { Context } from '../context.js'
import { MAX_CRASHES } from '../crashes.js'
import { MAX_CLAIM_AGE_MS } from '../leases.js'
import { retryWrite } from '../retry-write.js'
import { handOver, notTaken } from './hand-over.js'
import { givePlacesBack } from './send/give-places-back.js'
import { orNextRoute } from './send/next-route.js'
import { parseNumber } from './phone-number.js'
import { countOutcome, type SendOutcome } from './send/send-outcome.js'
import { enterWindows, refillWindows } from './windows.js'

/** Sends a queued message through its line's carrier, if its turn has come. */
export async function sendMessage(context: Context, id: string): Promise<SendOutcome> {
  const startedAt = performance.now()
  const { outcome, message } = await advance(context, { id, claim: newId() })
  countOutcome(outcome)
  if (outcome.kind !== 'skipped' && outcome.kind !== 'elsewhere') {
    logOutcome(context, id, message?.lineId, outcome, Math.round(performance.now() - startedAt))
  }
  return outcome
}

function logOutcome(
  { log }: Context,
  messageId: string,
  lineId: string | undefined,
  outcome: SendOutcome,
  durationMs: number,
): void {
  const { kind, ...details } = outcome
  // An error may have a carrier's words.
  if ('error' in outcome) {
    log.info({ messageId, lineId, outcome: kind, ...details, durationMs }, `message.${kind}`)
    return
  }
  const wait = outcome.kind === 'wait' ? { ms: outcome.ms, reason: word(outcome.reason) } : {}
  const ids = { messageId: idOf(messageId), lineId: lineId === undefined ? undefined : idOf(lineId) }
  logPlain(log, { ...ids, outcome: word(kind), ...wait, durationMs }, `message.${kind}`)
}

/** The outcome for the message, and the message itself if it was read. */
interface Advance {
  outcome: SendOutcome
  message?: MessageToSend
}

async function advance(context: Context, request: ClaimRequest): Promise<Advance> {
  const claimingAt = performance.now()
  const answer = await claimOrGiveBack(context, request)
  if (answer.kind === 'missed') return { outcome: { kind: 'skipped' } }
  const { message } = answer
  switch (answer.kind) {
    case 'claimed':
      // This is not awaited: if this place does not reach Redis, the next claim notices that it is missing.
      if (request.placesAt !== message.account.name)
        void enterWindows(context, message).catch(() => undefined)
      // The process has been suspended. Others may have considered the claim lost, and already sent later messages.
      if (performance.now() - claimingAt > MAX_CLAIM_AGE_MS) {
        await giveBack(context, request)
        return { outcome: { kind: 'wait', ms: 0, reason: 'too_late' }, message }
      }
      return {
        outcome: await send(context, message, { attempt: answer.attempt, claim: request.claim }),
        message,
      }
    case 'refused':
      return { outcome: await fail(context, message, answer.error), message }
    case 'unrouted':
      await noteCountry(context.db, request.id, countryOf(message.toNumber))
      return advance(context, request)
    case 'elsewhere': {
      const isTaken = await context.accountLanes.put(message.account.id, [request.id])
      if (isTaken) return { outcome: { kind: 'elsewhere' }, message }
      return advance(context, { ...request, isHere: true })
    }
    case 'crowded': {
      const waitMs = await enterWindows(context, message)
      if (waitMs === 0) return advance(context, { ...request, placesAt: message.account.name })
      return { outcome: await waitForPlace(context, message, waitMs), message }
    }
    case 'full':
      await refillWindows(context, message, answer.ms)
      return { outcome: await waitForPlace(context, message, answer.ms), message }
    case 'early':
    case 'paused':
      return { outcome: { kind: 'wait', ms: answer.ms, reason: answer.kind }, message }
    case 'stopped':
      if (message.account.messagesPerSecond !== null) void givePlacesBack(context, [message])
      return { outcome: { kind: answer.kind }, message }
    case 'behind':
    case 'without_media':
      return { outcome: { kind: answer.kind }, message }
  }
}

/** A short code has no country that a route could name. */
function countryOf(number: string): string {
  return (number.startsWith('+') ? parseNumber(number, null)?.country : undefined) ?? ''
}

async function send(
  context: Context,
  message: MessageToSend,
  claimed: { attempt: number; claim: string },
): Promise<SendOutcome> {
  return context.leases.messages.during({ id: message.id, attempt: claimed.attempt }, async () => {
    const settlement = await settlementOf(context, message, claimed)
    await retryWrite(context, () => context.batched.settleMessage(settlement))
    // A text in parts still has places for the parts after the one that the carrier rejected.
    if (settlement.status === 'failed' && !isShort(message.text ?? ''))
      void givePlacesBack(context, [message])
    return outcomeOf(settlement)
  })
}

async function settlementOf(
  context: Context,
  message: MessageToSend,
  claimed: { attempt: number; claim: string },
): Promise<Settlement> {
  const { id, account } = message
  let carrier: CarrierClient | undefined
  try {
    carrier = await findCarrierClient(context, account)
  } catch (error) {
    // An outage would hold up the worker, and with it the messages of all other accounts.
    if (error instanceof SettingsUnreadable) {
      const { claim, attempt } = claimed
      return orNextRoute(context, message, notTaken({ id, claim, carrier: account.name }, attempt))
    }
    await giveBack(context, { id, claim: claimed.claim })
    throw error
  }
  const settlement: Settlement =
    carrier === undefined
      ? { id, claim: claimed.claim, status: 'failed', error: 'carrier_missing' }
      : await handOver(context, carrier, message, claimed)
  return orNextRoute(context, message, settlement)
}

async function fail(
  context: Context,
  { id, lineId, toNumber }: MessageToSend,
  error: MessageReason | MediaReason,
): Promise<SendOutcome> {
  const failures = [{ id, lineId, toNumber, error }]
  const ended = await failQueuedMessages(context.db, failures)
  void context.queues.enqueueNext(ended)
  void givePlacesBack(context, ended.left)
  return { kind: 'failed', error }
}

async function waitForPlace(context: Context, message: MessageToSend, ms: number): Promise<SendOutcome> {
  await postponeMessage(context.db, message, ms)
  return { kind: 'wait', ms, reason: 'window' }
}

/**
 * If the answer to a claim is lost, the row may still have been claimed. That message would not be sent, and would
 * become `unknown` when its lease ends. So the claim is given back.
 *
 * @throws Unavailable
 */
async function claimOrGiveBack(context: Context, request: ClaimRequest): Promise<ClaimAnswer> {
  try {
    return await context.batched.claimMessage(request)
  } catch (error) {
    if (mayBeDone(error)) await giveBack(context, request)
    throw error
  }
}

/** The message may have been claimed, but certainly not handed over. */
async function giveBack(context: Context, { id, claim }: ClaimRequest): Promise<void> {
  const settlement: Settlement = { id, claim, status: 'queued', uncounted: true }
  await retryWrite(context, () => context.batched.settleMessage(settlement))
}

function outcomeOf({ status, error, dueInMs = 0, passedOver }: Settlement): SendOutcome {
  switch (status) {
    case 'sent':
      return { kind: 'sent' }
    case 'queued':
      if (passedOver !== undefined) return { kind: 'wait', ms: dueInMs, reason: 'next_route' }
      return { kind: 'wait', ms: dueInMs, reason: error === 'throttled' ? 'throttled' : 'unavailable' }
    case 'failed':
    case 'unknown':
      return { kind: status, error: error ?? '' }
  }
}

/**
 * Counts a crash of a message's job.
 *
 * @returns true if the message was given up because of it
 */
export async function countMessageCrash(context: Context, id: string): Promise<boolean> {
  const { db, queues } = context
  const end = await recordMessageCrash(db, id, MAX_CRASHES)
  if (end === undefined) return false
  countOutcome({ kind: 'failed', error: 'internal_error' })
  void queues.enqueueNext(end)
  void givePlacesBack(context, end.left)
  return true
}
