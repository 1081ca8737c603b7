import type { DeliveryAttempt } from '../../../../database/endpoints/deliveries/delivery.js'
import type { Context } from '../../../../domain/context.js'
import type {
  DeliveryWithAttempts,
  EventWithDeliveries,
} from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { remakeBody, type SentBody } from '../../../../domain/endpoints/deliveries/sent-request.js'

export const ATTEMPT_VIEWS = ['request', 'response', 'timing'] as const

export type AttemptView = (typeof ATTEMPT_VIEWS)[number]

/** The attempt that the page's address asks for. */
export interface AskedAttempt {
  attempt: string
  view: string
}

/** The one attempt of the page that is shown in full. */
export interface OpenedAttempt {
  id: string
  view: AttemptView
  /** Set only if it is shown; undefined if it cannot be made again. */
  body: SentBody | undefined
}

/** @returns undefined if nothing is requested, or nothing of this message that its reader may see */
export async function openAttempt(
  context: Context,
  events: readonly EventWithDeliveries[],
  asked: AskedAttempt,
): Promise<OpenedAttempt | undefined> {
  for (const delivery of events.flatMap(({ deliveries }) => deliveries)) {
    const attempt = delivery.attempts.find(({ id }) => id === asked.attempt)
    if (attempt === undefined || !mayOpen(delivery)) continue
    const view = ATTEMPT_VIEWS.find((each) => each === asked.view) ?? 'request'
    return { id: attempt.id, view, body: await bodyFor(context, view, delivery, attempt) }
  }
  return undefined
}

/** False for another user's endpoint, whose requests and answers are private. */
export function mayOpen({ isForeign }: Pick<DeliveryWithAttempts, 'isForeign'>): boolean {
  return !isForeign
}

/** A part of the page's address. */
export function attemptQuery({ id, view }: Pick<OpenedAttempt, 'id' | 'view'>): string {
  return new URLSearchParams({ attempt: id, view }).toString()
}

function bodyFor(
  context: Context,
  view: AttemptView,
  delivery: DeliveryWithAttempts,
  attempt: DeliveryAttempt,
): Promise<SentBody | undefined> | undefined {
  return view === 'request' && attempt.requestHeaders !== null
    ? remakeBody(context, delivery, attempt)
    : undefined
}
