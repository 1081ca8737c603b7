import {
  findUnclaimable,
  giveDeliveryBack,
  type AttemptResult,
  type ClaimedDelivery,
} from '../../../database/endpoints/deliveries/delivering.js'
import { DISCONNECTED } from '../../../database/endpoints/deliveries/ending.js'
import {
  policyOf,
  SIGNATURE_KINDS,
  type EndpointPolicy,
  type SignatureKind,
} from '../../../database/endpoints/policy.js'
import type { EndpointToCall } from '../../../database/endpoints/endpoints.js'
import { newId } from '../../../ids.js'
import { FetchFailed, type Phases } from '../../../safe-fetch.js'
import type { RequestFailure } from '../../../states.js'
import { deliveryAttempts, deliveryDuration } from '../../../telemetry/metrics.js'
import { addSpan, traceHeaders } from '../../../telemetry/traces.js'
import { idOf, logPlain, word } from '../../../telemetry/plain-line.js'
import type { Context } from '../../context.js'
import { MAX_CLAIM_AGE_MS } from '../../leases.js'
import { retryWrite } from '../../retry-write.js'
import { openHeaders } from './custom-headers.js'
import { keepRequestHeaders, keepResponseHeaders, secondsOf } from './kept-headers.js'
import { nextRetryMs, readRetryAfter } from './retry-schedule.js'
import { shapeEvent, type EventContent } from './shapes.js'
import { TemplateFailed, TemplateTooHeavy } from './template.js'
import { signatureHeaders } from './signature.js'

export type DeliverOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; ms: number; failure: string }
  /** Its time has not come, or this process is late; no attempt was used up. */
  | { kind: 'early'; ms: number }
  /** Its worker has died again and again: it has to be tried in a separate process. */
  | { kind: 'suspect' }
  /** All attempts are used up: it is kept and listed, and a user may send it again. */
  | { kind: 'exhausted'; failure: string }
  /** The endpoint takes no events now: it is kept until the endpoint is enabled again. */
  | { kind: 'held' }
  /** Its endpoint has as many requests as it may, another worker has it, or it is over. */
  | { kind: 'skipped' }

/** The header of a replay, in addition to those of every event. */
export const REPLAY_HEADER = { 'webhook-replay': 'true' }

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
  await retryWrite(() => context.batched.deliverNext({ endpointId, places: 0, result }))
  logAttempt(context, result)
  return outcomeOf(result)
}

/** @returns undefined if this process was suspended since the claim: another may have delivered it by now */
export async function attemptDelivery(
  context: Context,
  delivery: ClaimedDelivery,
): Promise<AttemptResult | undefined> {
  if (performance.now() - delivery.claimedSince > MAX_CLAIM_AGE_MS) {
    await retryWrite(() => giveDeliveryBack(context.db, delivery))
    return undefined
  }
  const startedAt = delivery.claimedAt
  const answer = await context.leases.deliveries.during(delivery.id, () =>
    postEvent(context, delivery, startedAt, {
      ...traceHeaders(delivery.eventId, keyOf(delivery.id, delivery.attemptNumber)),
      ...(delivery.isReplay ? REPLAY_HEADER : {}),
    }),
  )
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
 * Returns a class such as `2xx` or `timeout`. Only 410 and 429 are named separately: they change what becomes of the
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

/**
 * The beginning of the answer is kept with the attempt, for people. Up to 200 answers at a time are in memory, so all
 * take 3 MB.
 */
const MAX_RESPONSE_BYTES = 16 * 1024

export interface EventForEndpoint extends EventContent, EndpointToCall {
  eventId: string
  endpointId: string
}

interface EndpointAnswer {
  durationMs: number
  phases: Phases
  /** The headers as they are kept; undefined if there was no request to send. */
  requestHeaders?: Record<string, string>
  /** The name of the failure; undefined if the endpoint took the event. */
  failure?: RequestFailure | 'template_failed' | 'template_too_heavy'
  /** True if the endpoint may have seen a request that got no answer. */
  isRequestSent?: boolean
  /** `isLast` is true if it asked for no more attempts, whatever its status (`webhook-delivery: stop`). */
  response?: {
    status: number
    excerpt: string
    headers: Record<string, string>
    retryAfter: string | undefined
    isLast?: true
  }
}

/**
 * POSTs an event to its endpoint, signed, once. Any 2xx is a success. A redirect is a failure and is not followed.
 *
 * @param moreHeaders the headers besides those that every event has
 */
export async function postEvent(
  context: Context,
  event: EventForEndpoint,
  startedAt: Date,
  moreHeaders?: Record<string, string>,
): Promise<EndpointAnswer> {
  const { safeFetch, config } = context
  const policy = policyOf(event.policy)
  let requestHeaders: Record<string, string> | undefined
  try {
    const signed = await signedRequest(context, event, startedAt)
    const own = openHeaders(context.secrets, event.endpointId, event.headersSealed)
    const ours = { ...signed.headers, ...moreHeaders }
    requestHeaders = keepRequestHeaders(own, ours)
    const { status, headers, phases, ...response } = await safeFetch.request(event.url, {
      method: 'POST',
      headers: { ...own, ...ours },
      body: signed.body,
      timeoutMs: policy.timeoutSeconds === null ? config.deliveryTimeoutMs : policy.timeoutSeconds * 1000,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    })
    const failure = failureOf(status)
    return {
      durationMs: Math.round(response.durationMs),
      phases,
      requestHeaders,
      ...(failure === undefined ? {} : { failure }),
      response: {
        status,
        excerpt: response.body.toString('utf8'),
        headers,
        retryAfter: headers['retry-after'],
        ...(/^\s*stop\s*$/i.test(headers['webhook-delivery'] ?? '') ? { isLast: true } : {}),
      },
    }
  } catch (error) {
    if (error instanceof TemplateFailed) {
      const failure = error instanceof TemplateTooHeavy ? 'template_too_heavy' : 'template_failed'
      return { durationMs: 0, phases: {}, failure }
    }
    if (!(error instanceof FetchFailed)) throw error
    const { durationMs, failure, phases, requestSent } = error
    const answer = { durationMs: Math.round(durationMs), phases, failure, isRequestSent: requestSent }
    // A request that was not sent has no headers to show.
    return requestSent && requestHeaders !== undefined ? { ...answer, requestHeaders } : answer
  }
}

/**
 * Makes the request for an event, without the headers that its endpoint's owner has added.
 *
 * @throws TemplateFailed, TemplateTooHeavy
 */
export async function signedRequest(
  context: Context,
  event: Omit<EventForEndpoint, 'url' | 'headersSealed'>,
  at: Date,
): Promise<{ headers: Record<string, string>; body: string }> {
  const policy = policyOf(event.policy)
  const { ownerId: userId, endpointId } = event
  const { contentType, headers, body } = await shapeEvent(context, event, policy, { userId, endpointId })
  const secrets = secretsOf(context, event)
  return {
    headers: {
      ...headers,
      'content-type': contentType,
      'user-agent': `Linehook/${context.config.version}`,
      ...signatureHeaders(event.eventId, secondsOf(at), body, secrets, kindsOf(policy, at)),
    },
    body,
  }
}

/** The place to which an endpoint's signing secrets are sealed (`secrets.ts`). */
export function signingSecretPlace(endpointId: string): string {
  return `endpoints.secret:${endpointId}`
}

function failureOf(status: number): RequestFailure | undefined {
  if (status >= 200 && status < 300) return undefined
  return status >= 300 && status < 400 ? 'redirect' : `http_${status}`
}

function kindsOf({ signature, bothSignaturesUntil }: EndpointPolicy, at: Date): readonly SignatureKind[] {
  const isChanging = bothSignaturesUntil !== null && at.getTime() < Date.parse(bothSignaturesUntil)
  return isChanging ? SIGNATURE_KINDS : [signature]
}

/** Returns the signing secrets of an endpoint, the current one first. */
export function secretsOf(
  { secrets }: Context,
  event: Pick<EventForEndpoint, 'endpointId' | 'secretSealed' | 'previousSecretSealed'>,
): string[] {
  const place = signingSecretPlace(event.endpointId)
  return [event.secretSealed, event.previousSecretSealed]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secrets.open(sealed, place))
}
