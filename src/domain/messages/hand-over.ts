import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  MAX_THROTTLE_MS,
  type CarrierClient,
} from '../../carriers/carrier.js'
import { explainCarrierCode } from '../../carriers/codes.js'
import { faultOfMedia } from '../../carriers/media-limits.js'
import type { MessageToSend, Settlement } from '../../database/messages/sending.js'
import { indexable } from '../../database/text.js'
import { asError } from '../../errors.js'
import { boundedCode } from '../../telemetry/bounded-code.js'
import { carrierAttempts, carrierCodes, carrierDuration, handOverAge } from '../../telemetry/metrics.js'
import { addSpan } from '../../telemetry/traces.js'
import { backoffMs, type Backoff } from '../backoff.js'
import type { Context } from '../context.js'
import { hostedUrl } from '../media/hosting.js'
import { noteCarrierOptOut } from './opt-out/carrier-opt-out.js'
import { paceOf } from './windows.js'

/** The carrier took nothing: we ask it again soon, then less and less often, until the message expires. */
const UNAVAILABLE_BACKOFF: Backoff = { baseMs: 1000, factor: 2, capMs: 300_000, jitter: 0.2 }

/** The carrier has certainly not taken the message, which is tried again later. */
export function notTaken(
  claimed: Pick<Settlement, 'id' | 'claim'> & { carrier: string },
  attempt: number,
): Settlement {
  const dueInMs = backoffMs(attempt, UNAVAILABLE_BACKOFF, Math.random())
  return { ...claimed, status: 'queued', error: 'carrier_unavailable', dueInMs }
}

/** Calls the carrier once with a claimed message. Never throws: the settlement says what happened to the message. */
export async function handOver(
  context: Context,
  carrier: CarrierClient,
  message: MessageToSend,
  claimed: { attempt: number; claim: string },
): Promise<Settlement> {
  const startedAt = new Date()
  const begunAt = performance.now()
  const settlement = await callCarrier(context, carrier, message, claimed)
  const durationMs = performance.now() - begunAt
  carrierDuration.observe({ carrier: carrier.name }, durationMs / 1000)
  traceHandOver(carrier.name, message, settlement, { ...claimed, startedAt, durationMs })
  countAttempt(carrier.name, settlement)
  // If a carrier asks to wait, the next call counts as the first attempt.
  if (claimed.attempt === 1 && settlement.error !== 'throttled') handOverAge.observe(message.ageMs / 1000)
  return settlement
}

/** The first attempt's trace also shows how long the message has waited. */
function traceHandOver(
  carrier: string,
  { id: of, ageMs, lineId }: MessageToSend,
  { status, error, carrierMessageId, carrierCode }: Settlement,
  { attempt, startedAt, durationMs }: { attempt: number; startedAt: Date; durationMs: number },
): void {
  const ids = { 'linehook.message.id': of, 'linehook.line.id': lineId }
  if (attempt === 1) {
    const acceptedAt = new Date(startedAt.getTime() - ageMs)
    addSpan({
      ...{ of, key: 'wait', name: 'wait in the queue', kind: 'internal', attributes: ids },
      ...{ startedAt: acceptedAt, durationMs: ageMs },
    })
  }
  const attributes = {
    ...ids,
    'linehook.carrier': carrier,
    'linehook.attempt': attempt,
    'linehook.status': status,
    // As the row has it: a carrier's id may have any length.
    'linehook.carrier.message_id': carrierMessageId && indexable(carrierMessageId),
    'linehook.carrier.code': carrierCode,
  }
  const key = `send ${attempt}`
  addSpan({ of, key, name: 'send message', kind: 'client', startedAt, durationMs, attributes, fault: error })
}

const TAKEN_OR_NOT = { sent: 'taken', failed: 'rejected', unknown: 'unknown', queued: 'unavailable' } as const

function countAttempt(carrier: string, { status, error, carrierCode }: Settlement): void {
  const outcome = error === 'throttled' ? 'throttled' : TAKEN_OR_NOT[status]
  carrierAttempts.inc({ carrier, outcome })
  if (carrierCode !== undefined) carrierCodes.inc({ carrier, code: boundedCode(carrierCode) })
}

async function callCarrier(
  context: Context,
  carrier: CarrierClient,
  message: MessageToSend,
  { attempt, claim }: { attempt: number; claim: string },
): Promise<Settlement> {
  const { id, fromNumber, toNumber, text, media, ageMs, account, carrierOptions, expiresInMs } = message
  const claimed = { id, claim, carrier: carrier.name }
  const kind = context.carriers.kinds.get(account.kind)
  const stepCount = carrier.countParts?.(text ?? '') ?? 1
  const signal = AbortSignal.timeout(context.config.carrierTimeoutMs * stepCount)
  const copies = (media ?? []).map(({ token, contentType, byteCount }) => ({
    url: hostedUrl(context, token),
    contentType: contentType ?? '',
    byteCount: byteCount ?? 0,
  }))
  try {
    const fault = kind && faultOfMedia(kind, copies)
    // Another route's carrier may take it.
    if (fault !== undefined) throw new CarrierRejected(fault, undefined, false, true)
    const asked = {
      ...{ id, fromNumber, toNumber, text, media: copies, attempt, ageMs },
      ...(expiresInMs !== null && { expiresInMs }),
      ...(account.messagesPerSecond !== null && { pace: paceOf(account.messagesPerSecond) }),
      ...(carrierOptions !== null && { options: carrierOptions }),
    }
    const sending = carrier.send(asked, signal)
    const taken = await Promise.race([sending, rejectOn(signal)])
    return { ...claimed, status: 'sent', ...taken }
  } catch (error) {
    if (error instanceof CarrierRejected) {
      const { reason, carrierCode } = error
      if (error.isOptedOut) await noteCarrierOptOut(context, message)
      return {
        ...claimed,
        status: 'failed',
        error: reason,
        isOfAccount: error.isOfAccount,
        ...(carrierCode === undefined ? {} : { carrierCode, ...reasonOf(account.kind, error) }),
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
      return { ...notTaken(claimed, attempt), isOfLine: error.isOfLine }
    }
    if (!(error instanceof CarrierOutcomeUnknown)) {
      context.log.error(
        { messageId: id, carrier: carrier.name, err: asError(error) },
        'carrier.unexpected_error',
      )
    }
    const carrierPartIds = error instanceof CarrierOutcomeUnknown ? [...error.carrierPartIds] : []
    return {
      ...claimed,
      status: 'unknown',
      error: 'carrier_outcome_unknown',
      ...(carrierPartIds.length > 0 && { carrierPartIds }),
    }
  }
}

function reasonOf(
  kind: string,
  { carrierCode, carrierReason }: CarrierRejected,
): Pick<Settlement, 'carrierReason'> {
  const meaning = explainCarrierCode(kind, carrierCode ?? null, carrierReason)
  return meaning === null ? {} : { carrierReason: meaning.reason }
}

/** Keeps the wait in bounds: one number that Postgres refuses would fail a whole batch of results. */
function waitAskedFor({ retryInMs }: CarrierThrottled): number {
  return Math.min(Math.max(Math.ceil(retryInMs) || 0, 0), MAX_THROTTLE_MS)
}

/** Carrier code that heeds its signal gives more details within this time. */
const HEED_MS = 100

/** Ends the wait even if carrier code ignores its signal. */
function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      setTimeout(() => {
        reject(new CarrierOutcomeUnknown('no response in time'))
      }, HEED_MS)
    })
  })
}
