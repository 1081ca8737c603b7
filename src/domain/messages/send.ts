import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type Carrier,
} from '../../carriers/carrier.js'
import { available } from '../../database/connection.js'
import {
  failQueuedMessages,
  postponeMessages,
  type Claim,
  type MessageToSend,
  type Settlement,
} from '../../database/messages/sending.js'
import { asError } from '../../errors.js'
import { sha256 } from '../../secrets.js'
import type { Window } from '../../sliding-window.js'
import { backoffMs, type Backoff } from '../backoff.js'
import { findCarrier } from '../carriers.js'
import type { Context } from '../context.js'
import { hostedUrl } from '../media/hosting.js'
import { persist } from '../persist.js'

/** The carrier took nothing: try again soon, then seldom, for as long as the message may live. */
const UNAVAILABLE_BACKOFF: Backoff = { baseMs: 1000, factor: 2, capMs: 300_000, jitter: 0.2 }

/** Who asks for a longer wait is asked again after this. */
const MAX_THROTTLE_MS = 3_600_000

/** Longer than a minute by what may pass between taking a place and the carrier's clock. */
const WINDOW_MS = 60_250

/** Its predecessor, or its media, enqueue it; the sweeper looks after it should their worker die. */
const BEHIND_CHECK_MS = 30_000

export type SendOutcome =
  | { kind: 'sent' }
  | { kind: 'failed'; error: string }
  /** Perhaps sent: never again by itself. */
  | { kind: 'unknown'; error: string }
  /** Not now: no attempt was used up. */
  | { kind: 'wait'; ms: number; reason: 'window' | 'paused' | 'throttled' | 'unavailable' }
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
  if (message.isBehind) {
    await available(() => postponeMessages(context.db, [{ id: message.id, ms: BEHIND_CHECK_MS }]))
    return { kind: 'behind' }
  }

  if (message.hasMedia && message.media?.status !== 'stored') {
    await available(() => postponeMessages(context.db, [{ id: message.id, ms: BEHIND_CHECK_MS }]))
    return { kind: 'without_media' }
  }
  if (message.pausedMs > 0) {
    await available(() => postponeMessages(context.db, [{ id: message.id, ms: message.pausedMs }]))
    return { kind: 'wait', ms: message.pausedMs, reason: 'paused' }
  }

  const waitMs = await takePlaces(context, message)
  if (waitMs > 0) {
    await available(() => postponeMessages(context.db, [{ id: message.id, ms: waitMs }]))
    return { kind: 'wait', ms: waitMs, reason: 'window' }
  }

  const claim = await context.batched.claimMessage(message.id)
  if (claim === undefined) return { kind: 'skipped' }
  const settlement = await callCarrier(context, carrier, message, claim)
  await persist(() => context.batched.settleMessage(settlement))
  return outcomeOf(settlement)
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

/** One hash tag: Redis Cluster keeps all windows of a line together. Whole numbers stay out of Redis. */
export function numberWindowKey(lineId: string, number: string): string {
  return `lh:{${lineId}}:to:${sha256(number).toString('base64url').slice(0, 22)}`
}

/**
 * A place in every window of the line, and then in its account's, which has another hash tag. Who waits for the
 * account's has its places in the line held for that moment: else they would be over by then, and the line's next
 * messages would have taken them, only to wait for the account's as well (five lines at 1/s each, of an account at
 * 3/s, sent at 1/s).
 *
 * @returns the milliseconds to wait; 0: it is its turn
 * @throws Unavailable
 */
async function takePlaces({ windows }: Context, message: MessageToSend): Promise<number> {
  const { id, lineId, toNumber, numberLimit, lineLimit, account } = message
  const ofLine = [
    { key: numberWindowKey(lineId, toNumber), limit: numberLimit, lengthMs: WINDOW_MS },
    { key: `lh:{${lineId}}:line`, limit: lineLimit, lengthMs: WINDOW_MS },
    ...paceWindow(`lh:{${lineId}}:pace`, account.messagesPerSecondPerLine),
  ]
  const waitMs = await windows.take(id, ofLine)
  const ofAccount = paceWindow(`lh:{${account.id}}:pace`, account.messagesPerSecond)
  if (waitMs > 0 || ofAccount.length === 0) return waitMs
  const accountWaitMs = await windows.take(id, ofAccount)
  if (accountWaitMs > 0) await windows.hold(id, ofLine, accountWaitMs)
  return accountWaitMs
}

/** A carrier's pace, such as 1/s; below that one message in as many seconds as it takes. */
function paceWindow(key: string, perSecond: number | null): Window[] {
  if (perSecond === null) return []
  const limit = Math.max(1, Math.floor(perSecond))
  return [{ key, limit, lengthMs: Math.ceil((limit / perSecond) * 1000) }]
}

async function callCarrier(
  context: Context,
  carrier: Carrier,
  message: MessageToSend,
  { attempt, claim }: Claim,
): Promise<Settlement> {
  const { id, lineId, fromNumber, toNumber, text, media, ageMs } = message
  const claimed = { id, lineId, toNumber, claim }
  const mediaUrl = media === null ? null : hostedUrl(context, media.token)
  const signal = AbortSignal.timeout(context.config.carrierTimeoutMs)
  try {
    const sending = carrier.send({ id, fromNumber, toNumber, text, mediaUrl, attempt, ageMs }, signal)
    const { carrierMessageId } = await Promise.race([sending, rejectOn(signal)])
    return { ...claimed, status: 'sent', carrier: carrier.name, carrierMessageId }
  } catch (error) {
    if (error instanceof CarrierRejected) {
      const { reason, carrierCode } = error
      return {
        ...claimed,
        status: 'failed',
        error: reason,
        ...(carrierCode === undefined ? {} : { carrierCode }),
      }
    }
    if (error instanceof CarrierThrottled) {
      return {
        ...claimed,
        status: 'queued',
        error: 'throttled',
        dueInMs: waitAskedFor(error),
        uncounted: true,
      }
    }
    if (error instanceof CarrierUnavailable) {
      const dueInMs = backoffMs(attempt, UNAVAILABLE_BACKOFF, Math.random())
      return { ...claimed, status: 'queued', error: 'carrier_unavailable', dueInMs }
    }
    if (!(error instanceof CarrierOutcomeUnknown)) {
      context.log.error(
        { messageId: id, carrier: carrier.name, err: asError(error) },
        'carrier.unexpected_error',
      )
    }
    return { ...claimed, status: 'unknown', error: 'carrier_outcome_unknown' }
  }
}

/** In bounds whatever the carrier said: one figure that Postgres refuses would spoil a whole batch of results. */
function waitAskedFor({ retryInMs }: CarrierThrottled): number {
  return Math.min(Math.max(Math.ceil(retryInMs) || 0, 0), MAX_THROTTLE_MS)
}

/** For a carrier that does not heed its signal. */
function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new CarrierOutcomeUnknown('no answer in time'))
    })
  })
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
