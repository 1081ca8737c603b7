import type { MessageEventType, AccountEventType } from '../../event-types.js'
import type { Database } from '../connection.js'

export const RETRY_SCHEDULES = ['default', 'short', 'long'] as const

/** A named schedule, or the waits between attempts in seconds. */
export type RetrySchedule = (typeof RETRY_SCHEDULES)[number] | readonly number[]

/** The forms of a request's body (`src/domain/endpoints/deliveries/shapes.ts`). */
export const SHAPES = [
  'linehook',
  'cloudevents',
  'cloudevents-binary',
  'slack',
  'discord',
  'ifttt',
  'template',
] as const

export type Shape = (typeof SHAPES)[number]

/** The kinds of Standard Webhooks: `v1` is HMAC-SHA256 by the signing secret, `v1a` Ed25519 by its key pair. */
export const SIGNATURE_KINDS = ['v1', 'v1a'] as const

export type SignatureKind = (typeof SIGNATURE_KINDS)[number]

/** The way in which an endpoint gets its events. Its developer sets it, whoever owns the endpoint. */
export interface EndpointPolicy {
  retrySchedule: RetrySchedule
  /** If false, an event whose request was sent and not answered in time is not retried automatically. */
  retryOnTimeout: boolean
  /** The time for a whole request; null means the service's default (DELIVERY_TIMEOUT_MS). */
  timeoutSeconds: number | null
  /**
   * The most concurrent requests; null means the service's default (ENDPOINT_MAX_IN_FLIGHT). `claim_in_lanes` reads
   * it.
   */
  requestsAtOnce: number | null
  /** True if an event waits until the previous one from the same number is over. `create_deliveries` reads it. */
  ordered: boolean
  /** Types that every other endpoint gets by default, and this one does not. `create_deliveries` reads it. */
  declinedEvents: readonly (MessageEventType | AccountEventType)[]
  shape: Shape
  /** The template of the shape `template`, in the Liquid language. */
  template: string | null
  /** The content type of the template's result. */
  templateContentType: string
  signature: SignatureKind
  /** Both kinds sign until then, because the kind was changed. Users cannot set this field. */
  bothSignaturesUntil: string | null
}

export const DEFAULT_POLICY: EndpointPolicy = {
  retrySchedule: 'default',
  retryOnTimeout: true,
  timeoutSeconds: null,
  requestsAtOnce: null,
  ordered: false,
  declinedEvents: [],
  shape: 'linehook',
  template: null,
  templateContentType: 'application/json',
  signature: 'v1',
  bothSignaturesUntil: null,
}

/** The fields that differ from the defaults, as the column has them. */
export type StoredPolicy = Partial<EndpointPolicy>

export function policyOf(stored: StoredPolicy): EndpointPolicy {
  return { ...DEFAULT_POLICY, ...stored }
}

/** A policy with the sealed headers of each request; null if there are none. */
export interface PolicyRow {
  policy: EndpointPolicy
  headersSealed: Buffer | null
}

export async function findPolicy(db: Database, endpointId: string): Promise<PolicyRow> {
  const row = await db('endpoints')
    .where({ id: endpointId })
    .first<{ policy: StoredPolicy; headersSealed: Buffer | null }>({
      policy: 'policy',
      headersSealed: 'headers_sealed',
    })
  return { ...row, policy: policyOf(row.policy) }
}

export async function setPolicy(
  db: Database,
  endpointId: string,
  { policy, headersSealed }: PolicyRow,
): Promise<void> {
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(DEFAULT_POLICY[name as keyof EndpointPolicy])
  const stored = Object.fromEntries(Object.entries(policy).filter(differs))
  await db('endpoints')
    .where({ id: endpointId })
    .update({ policy: JSON.stringify(stored), headers_sealed: headersSealed })
}
