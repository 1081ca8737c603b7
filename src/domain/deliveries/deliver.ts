import { available } from '../../database/connection.js'
import type { AttemptResult, ClaimedDelivery } from '../../database/deliveries/delivering.js'
import { giveDeliveryBack, postponeDeliveries } from '../../database/deliveries/delivering.js'
import { DISCONNECTED } from '../../database/deliveries/ending.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'
import { persist } from '../persist.js'
import { postEvent, type EndpointAnswer } from './attempt.js'
import { nextRetryMs, readRetryAfter } from './retry-schedule.js'

/** An endpoint with its places taken is asked again within this, at random: those who wait must not come at once. */
const FULL_WAIT_MS = { min: 200, max: 1200 }

/** Far less than a lease has beside the endpoint's own time. */
const MAX_CLAIM_AGE_MS = 5000

export type DeliverOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; ms: number; failure: string }
  /** As many requests as may be under way to this endpoint are; no attempt was used up. */
  | { kind: 'full'; ms: number }
  /** Its time has not come, or this process is late; no attempt was used up. */
  | { kind: 'early'; ms: number }
  /** Its worker was lost again and again: it is to be tried in a process of its own. */
  | { kind: 'suspect' }
  /** All attempts are used up: kept, listed, and a person may send it again. */
  | { kind: 'exhausted'; failure: string }
  /** The endpoint takes no events now: kept until it is enabled again. */
  | { kind: 'held' }
  /** Somebody else has it, or it is over. */
  | { kind: 'skipped' }

/** Makes one attempt to deliver an event to its endpoint (contract §4). */
export async function deliver(context: Context, id: string, endpointId: string): Promise<DeliverOutcome> {
  const { inFlightCap, config } = context
  const member = newId()
  if (!(await inFlightCap.enter(endpointId, member, config.deliveryTimeoutMs + 5000))) {
    const ms = Math.round(FULL_WAIT_MS.min + Math.random() * (FULL_WAIT_MS.max - FULL_WAIT_MS.min))
    await available(() => postponeDeliveries(context.db, [{ id, ms }]))
    return { kind: 'full', ms }
  }
  let timedOut: boolean | undefined
  try {
    const claimingAt = performance.now()
    const delivery = await context.batched.claimDelivery(id)
    if (delivery === undefined) return { kind: 'skipped' }
    if (delivery.status === 'early') return { kind: 'early', ms: delivery.ms }
    if (delivery.status === 'suspect') return { kind: 'suspect' }
    if (delivery.status === 'held') return { kind: 'held' }
    if (delivery.status === 'exhausted') return { kind: 'exhausted', failure: DISCONNECTED }
    // This process was stopped meanwhile: another may have delivered it by now.
    if (performance.now() - claimingAt > MAX_CLAIM_AGE_MS) {
      await persist(() => giveDeliveryBack(context.db, delivery))
      return { kind: 'early', ms: 0 }
    }
    const result = await attempt(context, delivery)
    timedOut = result.failure === 'timeout'
    await persist(() => context.batched.recordAttempt(result))
    log(context, delivery, result)
    return outcomeOf(result)
  } finally {
    await inFlightCap.leave(endpointId, member, timedOut)
  }
}

async function attempt(context: Context, delivery: ClaimedDelivery): Promise<AttemptResult> {
  const startedAt = delivery.claimedAt
  const answer = await postEvent(context, delivery, startedAt)
  return {
    attemptId: newId(),
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    url: delivery.url,
    attemptNumber: delivery.attemptNumber,
    startedAt,
    durationMs: answer.durationMs,
    ...(answer.response
      ? { responseStatus: answer.response.status, responseExcerpt: answer.response.excerpt }
      : {}),
    ...judge(context, delivery, answer),
  }
}

function judge(context: Context, delivery: ClaimedDelivery, { failure, response }: EndpointAnswer) {
  if (failure === undefined) return { status: 'delivered' as const }
  if (response?.status === 410) return { failure, status: 'held' as const, isGone: true }
  const mayAskToWait = response?.status === 429 || response?.status === 503
  const retryAfterMs = mayAskToWait ? readRetryAfter(response.retryAfter, Date.now()) : undefined
  return { failure, ...afterFailure(context, delivery, retryAfterMs) }
}

function afterFailure(context: Context, { roundAttempt }: ClaimedDelivery, retryAfterMs: number | undefined) {
  const retryInMs = nextRetryMs(roundAttempt, context.config.deliveryRetryBaseMs, retryAfterMs, Math.random())
  return retryInMs === undefined
    ? { status: 'exhausted' as const }
    : { status: 'pending' as const, retryInMs }
}

function log(context: Context, delivery: ClaimedDelivery, result: AttemptResult): void {
  const { attemptNumber, responseStatus, failure, durationMs, status: outcome, retryInMs } = result
  context.log.info(
    {
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      endpointId: delivery.endpointId,
      attempt: attemptNumber,
      outcome: outcome === 'pending' ? 'retry' : outcome,
      responseStatus,
      failure,
      retryInMs,
      durationMs,
    },
    'delivery.attempted',
  )
}

function outcomeOf({ status, failure = '', retryInMs = 0 }: AttemptResult): DeliverOutcome {
  switch (status) {
    case 'delivered':
    case 'held':
      return { kind: status }
    case 'pending':
      return { kind: 'retry', ms: retryInMs, failure }
    case 'exhausted':
      return { kind: 'exhausted', failure }
  }
}
