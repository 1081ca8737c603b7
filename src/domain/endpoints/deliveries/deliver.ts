import {
  findUnclaimable,
  giveCutDeliveryBack,
  giveDeliveryBack,
  type AttemptResult,
  type ClaimedDelivery,
  type LaneAnswer,
} from '../../../database/endpoints/deliveries/delivering.js'
import { DISCONNECTED } from '../../../database/endpoints/deliveries/ending.js'
import { policyOf } from '../../../database/endpoints/policy.js'
import { newId } from '../../../ids.js'
import { deliveryAttempts, deliveryDuration } from '../../../telemetry/metrics.js'
import { addSpan, traceHeaders } from '../../../telemetry/traces.js'
import { idOf, logPlain, word } from '../../../telemetry/plain-line.js'
import type { Context } from '../../context.js'
import { MAX_CLAIM_AGE_MS } from '../../leases.js'
import { retryWrite } from '../../retry-write.js'
import { keepResponseHeaders } from './kept-headers.js'
import { postEvent, REPLAY_HEADER, type EndpointAnswer } from './post-event.js'
import { nextRetryMs, readRetryAfter } from './retry-schedule.js'

export type DeliverOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; ms: number; failure: string }
  /** It is not due yet, or this process is late or stops; no attempt was used up. */
  | { kind: 'early'; ms: number }
  /** Its worker has died repeatedly: it has to be tried in a separate process. */
  | { kind: 'suspect' }
  /** All attempts are used up: it stays and is listed, and a user may resend it. */
  | { kind: 'exhausted'; failure: string }
  /** The endpoint takes no events now: it is held until the endpoint is enabled again. */
  | { kind: 'held' }
  /** Its endpoint has as many requests as it is allowed, another worker has it, or it is over. */
  | { kind: 'skipped' }

/** This is the time for which `claim_in_lanes` parks a delivery. */
const PARKED_MS = 30_000

/** Makes one attempt to deliver this event, whatever else waits for its endpoint. `runLane` delivers all of them. */
export async function deliver(context: Context, id: string, endpointId: string): Promise<DeliverOutcome> {
  const [delivery] = (await context.batched.deliverNext({ endpointId, places: 1, deliveryId: id })).deliveries
  if (delivery === undefined) {
    const why = await findUnclaimable(context.db, id, context.maxLost)
    if (why === undefined) return { kind: 'skipped' }
    return why.status === 'early' ? { kind: 'early', ms: why.ms } : { kind: 'suspect' }
  }
  if (delivery.status === 'parked') return { kind: 'early', ms: PARKED_MS }
  if (delivery.status === 'held') return { kind: 'held' }
  if (delivery.status === 'exhausted') return { kind: 'exhausted', failure: DISCONNECTED }
  const result = await attemptDelivery(context, delivery)
  if (result === undefined) return { kind: 'early', ms: 0 }
  let became: LaneAnswer['became']
  await retryWrite(context, async () => {
    ;({ became } = await context.batched.deliverNext({ endpointId, places: 0, result }))
  })
  const settled = settledAs(result, became)
  logAttempt(context, settled)
  return outcomeOf(settled)
}

/** Returns the result together with what happened to its delivery. */
export function settledAs(result: AttemptResult, became: LaneAnswer['became']): AttemptResult {
  if (became === undefined) return result
  const { retryInMs: _, ...others } = result
  return { ...others, status: became }
}

/**
 * A delivery whose request is still under way when this process closes is given back at once, while Postgres is still
 * connected.
 *
 * @returns undefined if the delivery was given back for that reason, or because this process was suspended since the claim:
 *   another one may have delivered it by now
 */
export async function attemptDelivery(
  context: Context,
  delivery: ClaimedDelivery,
): Promise<AttemptResult | undefined> {
  if (performance.now() - delivery.claimedSince > MAX_CLAIM_AGE_MS) {
    await retryWrite(context, () => giveDeliveryBack(context.db, delivery))
    return undefined
  }
  const { id, attemptNumber: attempt, claimedAt: startedAt } = delivery
  const giveBack = () => void giveCutDeliveryBack(context.db, delivery).catch(() => undefined)
  context.closing.addEventListener('abort', giveBack)
  const answer = await context.leases.deliveries
    .during({ id, attempt }, () =>
      postEvent(context, delivery, startedAt, {
        ...traceHeaders(delivery.eventId, keyOf(delivery.id, delivery.attemptNumber)),
        ...(delivery.isReplay ? REPLAY_HEADER : {}),
      }),
    )
    .finally(() => {
      context.closing.removeEventListener('abort', giveBack)
    })
  if (answer.failure === 'aborted') return undefined
  return {
    attemptId: newId(),
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    endpointId: delivery.endpointId,
    url: delivery.url,
    attemptNumber: delivery.attemptNumber,
    startedAt,
    durationMs: answer.durationMs,
    phases: answer.phases,
    ...(answer.requestHeaders ? { requestHeaders: answer.requestHeaders } : {}),
    ...(answer.response
      ? {
          responseStatus: answer.response.status,
          responseExcerpt: answer.response.excerpt,
          responseHeaders: keepResponseHeaders(answer.response.headers),
          ...(answer.response.bodyFailure === undefined ? {} : { bodyFailure: answer.response.bodyFailure }),
        }
      : {}),
    ...judge(context, delivery, answer),
  }
}

function judge(
  context: Context,
  delivery: ClaimedDelivery,
  { failure, isRequestSent, response }: EndpointAnswer,
) {
  if (failure === undefined) return { status: 'delivered' as const }
  if (failure === 'timeout' && isRequestSent === true && !policyOf(delivery.policy).retryOnTimeout) {
    return { failure, status: 'exhausted' as const }
  }
  if (failure === 'template_failed') return { failure, status: 'exhausted' as const }
  const isGone = response?.status === 410
  if (response?.isLast === true)
    return { failure: 'stopped_by_receiver' as const, status: 'exhausted' as const, isGone }
  if (isGone) return { failure, status: 'held' as const, isGone: true }
  const mayAskToWait = response?.status === 429 || response?.status === 503
  const retryAfterMs = mayAskToWait ? readRetryAfter(response.retryAfter, Date.now()) : undefined
  return { failure, ...afterFailure(context, delivery, retryAfterMs) }
}

function afterFailure(
  { config }: Context,
  { roundAttempt, policy }: ClaimedDelivery,
  retryAfterMs: number | undefined,
) {
  const { retrySchedule } = policyOf(policy)
  const retryInMs = nextRetryMs(
    roundAttempt,
    config.deliveryRetryBaseMs,
    retryAfterMs,
    Math.random(),
    retrySchedule,
  )
  return retryInMs === undefined
    ? { status: 'exhausted' as const }
    : { status: 'pending' as const, retryInMs }
}

export function logAttempt(context: Context, result: AttemptResult): void {
  const { attemptNumber, responseStatus, failure, durationMs, status, retryInMs } = result
  const outcome = status === 'pending' ? 'retry' : status
  deliveryAttempts.inc({ outcome, answer: answerClass(result) })
  deliveryDuration.observe(durationMs / 1000)
  traceAttempt(result, outcome)
  logPlain(
    context.log,
    {
      deliveryId: idOf(result.deliveryId),
      eventId: idOf(result.eventId),
      endpointId: idOf(result.endpointId),
      attempt: attemptNumber,
      outcome: word(outcome),
      responseStatus,
      failure: failure && word(failure),
      retryInMs,
      durationMs,
    },
    'delivery.attempted',
  )
}

function traceAttempt(result: AttemptResult, outcome: string): void {
  const { eventId, deliveryId, endpointId, attemptNumber, startedAt, durationMs, failure } = result
  addSpan({
    ...{ of: eventId, key: keyOf(deliveryId, attemptNumber), name: 'deliver event', kind: 'client' },
    ...{ startedAt, durationMs, fault: failure },
    attributes: {
      'linehook.event.id': eventId,
      'linehook.delivery.id': deliveryId,
      'linehook.endpoint.id': endpointId,
      'linehook.attempt': attemptNumber,
      'linehook.outcome': outcome,
      'http.response.status_code': result.responseStatus,
    },
  })
}

function keyOf(deliveryId: string, attemptNumber: number): string {
  return `deliver ${deliveryId} ${attemptNumber}`
}

/**
 * Returns a class such as `2xx` or `timeout`. Only 410 and 429 are named separately: they change what happens to the
 * endpoint.
 */
function answerClass({ responseStatus: status, failure = 'network' }: AttemptResult): string {
  if (status === undefined) return failure
  return status === 410 || status === 429 ? String(status) : `${String(status)[0] ?? ''}xx`
}

function outcomeOf({ status, failure, retryInMs = 0 }: AttemptResult): DeliverOutcome {
  switch (status) {
    case 'delivered':
    case 'held':
      return { kind: status }
    case 'pending':
      return { kind: 'retry', ms: retryInMs, failure: failure ?? '' }
    case 'exhausted':
      return { kind: 'exhausted', failure: failure ?? '' }
  }
}
