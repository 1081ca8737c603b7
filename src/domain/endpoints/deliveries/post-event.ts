import type { EndpointToCall } from '../../../database/endpoints/endpoints.js'
import {
  policyOf,
  SIGNATURE_KINDS,
  type EndpointPolicy,
  type SignatureKind,
} from '../../../database/endpoints/policy.js'
import { FetchFailed, type Phases } from '../../../safe-fetch.js'
import type { FetchFailureName } from '../../../safe-fetch/failures.js'
import type { RequestFailure } from '../../../states.js'
import type { Context } from '../../context.js'
import { userAgentOf } from '../../user-agent.js'
import { secretsOf } from '../signing-secrets.js'
import { openHeaders } from './custom-headers.js'
import { keepRequestHeaders, secondsOf } from './kept-headers.js'
import { shapeEvent, type EventContent } from './shapes.js'
import { signatureHeaders } from './signature.js'
import { TemplateFailed, TemplateTooHeavy } from './template.js'

/** The header of a replay, in addition to those of every event. */
export const REPLAY_HEADER = { 'webhook-replay': 'true' }

/**
 * The beginning of the answer is kept with the attempt, for people. Up to 200 answers at a time are in memory, so all
 * take 3 MB.
 */
const MAX_RESPONSE_BYTES = 16 * 1024

export interface EventForEndpoint extends EventContent, EndpointToCall {
  eventId: string
  endpointId: string
}

/** The endpoint's response to one request, or the reason why there is none. */
export interface EndpointAnswer {
  durationMs: number
  phases: Phases
  /** The headers as they are stored; undefined if there was no request to send. */
  requestHeaders?: Record<string, string>
  /** The name of the failure; undefined if the endpoint took the event. */
  failure?: RequestFailure | 'template_failed' | 'template_too_heavy'
  /** True if the endpoint may have seen a request that got no response. */
  isRequestSent?: boolean
  /** `isLast` is true if it asked for no more attempts, whatever its status (`webhook-delivery: stop`). */
  response?: {
    status: number
    excerpt: string
    headers: Record<string, string>
    retryAfter: string | undefined
    /** What went wrong with the body, which does not fail the event. */
    bodyFailure?: FetchFailureName
    isLast?: true
  }
}

/**
 * POSTs an event to its endpoint, signed, once; twice if a reused connection was lost, because receivers drop a repeat
 * by its id. Any 2xx is a success, whatever happens to the response's body: the server has the event. A redirect is a
 * failure and is not followed.
 *
 * @param moreHeaders headers in addition to those of every event
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
      statusDecides: true,
      isRepeatable: true,
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
        ...(response.bodyFailure === undefined ? {} : { bodyFailure: response.bodyFailure }),
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
      'user-agent': userAgentOf(context),
      ...signatureHeaders(event.eventId, secondsOf(at), body, secrets, kindsOf(policy, at)),
    },
    body,
  }
}

function failureOf(status: number): RequestFailure | undefined {
  if (status >= 200 && status < 300) return undefined
  return status >= 300 && status < 400 ? 'redirect' : `http_${status}`
}

function kindsOf({ signature, bothSignaturesUntil }: EndpointPolicy, at: Date): readonly SignatureKind[] {
  const isChanging = bothSignaturesUntil !== null && at.getTime() < Date.parse(bothSignaturesUntil)
  return isChanging ? SIGNATURE_KINDS : [signature]
}
