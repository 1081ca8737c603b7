import { available } from '../../database/connection.js'
import type { AttemptResult, ClaimedDelivery } from '../../database/deliveries/delivering.js'
import { postponeDeliveries } from '../../database/deliveries/delivering.js'
import { newId } from '../../ids.js'
import { FetchFailed, type SafeResponse } from '../../safe-fetch.js'
import type { Context } from '../context.js'
import { eventBody } from '../events.js'
import { persist } from '../persist.js'
import { nextRetryMs, readRetryAfter } from './retry-schedule.js'
import { signatureHeaders } from './signature.js'

const MAX_RESPONSE_BYTES = 16 * 1024

/** An endpoint with its places taken is asked again within this, at random: those who wait must not come at once. */
const FULL_WAIT_MS = { min: 200, max: 1200 }

export type DeliverOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; ms: number; failure: string }
  /** As many requests as may be under way to this endpoint are; no attempt was used up. */
  | { kind: 'full'; ms: number }
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
    const delivery = await context.batched.claimDelivery(id)
    if (delivery === undefined) return { kind: 'skipped' }
    if (delivery.status === 'held') return { kind: 'held' }
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
  const { safeFetch, config } = context
  const startedAt = new Date()
  const body = eventBody(delivery, context.vocabulary)
  const base = {
    attemptId: newId(),
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    url: delivery.url,
    attemptNumber: delivery.attemptNumber,
    startedAt,
  }
  try {
    const response = await safeFetch.request(delivery.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Linehook/${config.version}`,
        ...signatureHeaders(
          delivery.eventId,
          Math.floor(startedAt.getTime() / 1000),
          body,
          secretsOf(context, delivery),
        ),
      },
      body,
      timeoutMs: config.deliveryTimeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    })
    return {
      ...base,
      durationMs: Math.round(response.durationMs),
      responseStatus: response.status,
      responseExcerpt: response.body.toString('utf8'),
      ...judge(context, delivery, response),
    }
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return {
      ...base,
      durationMs: Math.round(error.durationMs),
      failure: error.failure,
      ...afterFailure(context, delivery, undefined),
    }
  }
}

function judge(context: Context, delivery: ClaimedDelivery, response: SafeResponse) {
  const { status, headers } = response
  if (status >= 200 && status < 300) return { status: 'delivered' as const }
  const failure = status >= 300 && status < 400 ? 'redirect' : `http_${status}`
  if (status === 410) return { failure, status: 'held' as const, isGone: true }
  const mayAskToWait = status === 429 || status === 503
  const retryAfterMs = mayAskToWait ? readRetryAfter(headers['retry-after'], Date.now()) : undefined
  return { failure, ...afterFailure(context, delivery, retryAfterMs) }
}

function afterFailure(context: Context, { roundAttempt }: ClaimedDelivery, retryAfterMs: number | undefined) {
  const retryInMs = nextRetryMs(roundAttempt, context.config.deliveryRetryBaseMs, retryAfterMs, Math.random())
  return retryInMs === undefined
    ? { status: 'exhausted' as const }
    : { status: 'pending' as const, retryInMs }
}

function secretsOf({ secrets }: Context, delivery: ClaimedDelivery): string[] {
  const place = signingSecretPlace(delivery.endpointId)
  return [delivery.secretSealed, delivery.previousSecretSealed]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secrets.open(sealed, place))
}

/** Where an endpoint's signing secrets are sealed to (`secrets.ts`). */
export function signingSecretPlace(endpointId: string): string {
  return `endpoints.secret:${endpointId}`
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
