import type { DeliveryAttempt } from '../../../database/endpoints/deliveries/delivery.js'
import { policyOf, SIGNATURE_KINDS } from '../../../database/endpoints/policy.js'
import { findEndpointToCall } from '../../../database/endpoints/endpoints.js'
import { findEvent } from '../../../database/endpoints/events.js'
import type { Context } from '../../context.js'
import { secretsOf } from '../signing-secrets.js'
import type { DeliveryWithAttempts } from './delivery-history.js'
import { secondsOf } from './kept-headers.js'
import { shapeEvent } from './shapes.js'
import { signatureHeaders } from './signature.js'
import { TemplateFailed, trialOf } from './template.js'

export interface SentBody {
  text: string
  /** True if the attempt's own signature fits this text. Otherwise the policy or the secret has changed since. */
  isProven: boolean
}

/**
 * Makes the body that an attempt sent. It is not stored, but rebuilt from the event, with the endpoint's current
 * policy.
 *
 * @param attempt an attempt of the delivery whose `requestHeaders` are known
 * @returns undefined if the event is gone, or the endpoint's current template fails for it
 */
export async function remakeBody(
  context: Context,
  { eventId, endpointId }: Pick<DeliveryWithAttempts, 'eventId' | 'endpointId'>,
  { requestHeaders, startedAt }: Pick<DeliveryAttempt, 'requestHeaders' | 'startedAt'>,
): Promise<SentBody | undefined> {
  const [event, endpoint] = await Promise.all([
    findEvent(context.db, eventId),
    findEndpointToCall(context.db, endpointId),
  ])
  if (event === undefined || endpoint === undefined) return undefined
  try {
    const owner = trialOf({ userId: endpoint.ownerId, endpointId })
    const { body } = await shapeEvent(context, { ...event, eventId }, policyOf(endpoint.policy), owner)
    const secrets = secretsOf(context, { ...endpoint, endpointId })
    const signed = signatureHeaders(eventId, secondsOf(startedAt), body, secrets, SIGNATURE_KINDS)
    const possible = signed['webhook-signature'].split(' ')
    const sent = requestHeaders?.['webhook-signature']?.split(' ') ?? []
    return { text: body, isProven: sent.some((each) => possible.includes(each)) }
  } catch (error) {
    if (error instanceof TemplateFailed) return undefined
    throw error
  }
}
