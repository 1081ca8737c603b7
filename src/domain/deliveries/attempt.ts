import { FetchFailed } from '../../safe-fetch.js'
import type { RequestFailure } from '../../states.js'
import type { Context } from '../context.js'
import { eventBody, type EventContent } from '../events.js'
import { signatureHeaders } from './signature.js'

const MAX_RESPONSE_BYTES = 16 * 1024

export interface EventForEndpoint extends EventContent {
  eventId: string
  endpointId: string
  url: string
  secretSealed: Buffer
  /** Only while a rotation's overlap lasts. */
  previousSecretSealed: Buffer | null
}

export interface EndpointAnswer {
  durationMs: number
  /** What went wrong, by its name; undefined: the endpoint took the event. */
  failure?: RequestFailure
  response?: { status: number; excerpt: string; retryAfter: string | undefined }
}

/** POSTs an event to its endpoint, signed, once. Any 2xx is a success. A redirect is a failure and is not followed. */
export async function postEvent(
  context: Context,
  event: EventForEndpoint,
  startedAt: Date,
): Promise<EndpointAnswer> {
  const { safeFetch, config, vocabulary } = context
  const body = eventBody(event, vocabulary)
  try {
    const { status, headers, ...response } = await safeFetch.request(event.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Linehook/${config.version}`,
        ...signatureHeaders(
          event.eventId,
          Math.floor(startedAt.getTime() / 1000),
          body,
          secretsOf(context, event),
        ),
      },
      body,
      timeoutMs: config.deliveryTimeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    })
    const failure = failureOf(status)
    return {
      durationMs: Math.round(response.durationMs),
      ...(failure === undefined ? {} : { failure }),
      response: { status, excerpt: response.body.toString('utf8'), retryAfter: headers['retry-after'] },
    }
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return { durationMs: Math.round(error.durationMs), failure: error.failure }
  }
}

/** Where an endpoint's signing secrets are sealed to (`secrets.ts`). */
export function signingSecretPlace(endpointId: string): string {
  return `endpoints.secret:${endpointId}`
}

function failureOf(status: number): RequestFailure | undefined {
  if (status >= 200 && status < 300) return undefined
  return status >= 300 && status < 400 ? 'redirect' : `http_${status}`
}

function secretsOf({ secrets }: Context, event: EventForEndpoint): string[] {
  const place = signingSecretPlace(event.endpointId)
  return [event.secretSealed, event.previousSecretSealed]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secrets.open(sealed, place))
}
