import type { FetchFailureName } from './safe-fetch/failures.js'

/**
 * The state machines of messages, deliveries and copies of media: the steps, and the reason that each leaves in the
 * row. Types, the console's words and the API's description come from here, `docs/states.md` is generated from it
 * (`npm run states`), and `test/states.test.ts` makes sure that Postgres refuses every other step.
 *
 * SQL takes the steps (`src/database/sql`, `src/database/{messages,endpoints/deliveries,media}`); a new one is a line
 * here first.
 */

export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'unknown',
  'received',
] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'exhausted', 'held'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export const MEDIA_STATUSES = ['pending', 'fetching', 'stored', 'failed'] as const
export type MediaStatus = (typeof MEDIA_STATUSES)[number]

/** The name of an endpoint's answer, or of the lack of one. */
export type RequestFailure = FetchFailureName | 'redirect' | `http_${number}`

/**
 * The reason why media could not be copied. `gone` is for copies of our own that were deleted, `unavailable` for our
 * storage or Postgres.
 */
export type MediaReason = `media_${
  | RequestFailure
  | 'type'
  | 'truncated'
  | 'gone'
  | 'unavailable'
  | 'internal_error'}`

declare const ofCarrier: unique symbol
/**
 * A carrier's words about a message, shown as they are. The brand keeps other texts from being used as a reason by
 * mistake.
 */
export type CarrierWords = string & { readonly [ofCarrier]: true }

/** Reasons of which there are too many to list. */
type Family = 'media' | 'request' | 'carrier'

export interface Step<Status extends string = string> {
  /** `new` means that there was no row before. */
  from: Status | 'new'
  to: Status
  /** What happened, as the diagram says it. */
  when: string
  /** The reasons that the row may give; if left out, it gives none or keeps the one that it had. */
  reasons?: readonly string[]
  /** Any reason of this family is possible as well. */
  family?: Family
}

export const MESSAGE_STEPS = [
  { from: 'new', to: 'queued', when: 'accepted' },
  { from: 'new', to: 'scheduled', when: 'accepted for later' },
  { from: 'new', to: 'received', when: 'received' },
  { from: 'scheduled', to: 'queued', when: 'send time reached' },
  { from: 'queued', to: 'scheduled', when: 'postponed' },
  {
    from: 'scheduled',
    to: 'failed',
    when: 'not allowed to be sent',
    reasons: ['cancelled', 'disconnected', 'expired', 'forgotten', 'line_disabled'],
  },
  { from: 'queued', to: 'sending', when: 'claimed' },
  {
    from: 'queued',
    to: 'failed',
    when: 'not allowed to be sent',
    reasons: ['cancelled', 'disconnected', 'expired', 'forgotten', 'line_disabled', 'opted_out'],
    family: 'media',
  },
  { from: 'queued', to: 'failed', when: 'repeated internal error', reasons: ['internal_error'] },
  { from: 'sending', to: 'sent', when: 'accepted by the carrier' },
  {
    from: 'sending',
    to: 'queued',
    when: 'not accepted',
    reasons: ['throttled', 'carrier_unavailable'],
  },
  {
    from: 'sending',
    to: 'failed',
    when: 'rejected',
    reasons: ['carrier_missing'],
    family: 'carrier',
  },
  { from: 'sending', to: 'unknown', when: 'no clear answer', reasons: ['carrier_outcome_unknown'] },
  { from: 'sending', to: 'unknown', when: 'worker lost', reasons: ['worker_lost'] },
  { from: 'queued', to: 'unknown', when: 'marked after a restore', reasons: ['restored'] },
  { from: 'scheduled', to: 'unknown', when: 'marked after a restore', reasons: ['restored'] },
  { from: 'sending', to: 'delivered', when: 'receipt before the response' },
  { from: 'sent', to: 'delivered', when: 'receipt' },
  { from: 'sent', to: 'failed', when: 'receipt', family: 'carrier' },
  { from: 'delivered', to: 'failed', when: 'receipt of another part', family: 'carrier' },
  // A worker that was assumed lost, or that got no answer, may still have sent its request.
  {
    from: 'unknown',
    to: 'unknown',
    when: 'still no information',
    reasons: ['carrier_has_no_record', 'carrier_outcome_unknown'],
  },
  { from: 'unknown', to: 'sent', when: 'late response or receipt' },
  { from: 'unknown', to: 'delivered', when: 'receipt' },
  {
    from: 'unknown',
    to: 'failed',
    when: 'late response or receipt',
    reasons: ['carrier_missing'],
    family: 'carrier',
  },
  {
    from: 'unknown',
    to: 'queued',
    when: 'late response, not accepted',
    reasons: ['throttled', 'carrier_unavailable'],
  },
  // The message went back to the queue, but the carrier has it anyway.
  { from: 'queued', to: 'sent', when: 'receipt of an earlier attempt' },
  { from: 'queued', to: 'delivered', when: 'receipt of an earlier attempt' },
  { from: 'queued', to: 'failed', when: 'receipt of an earlier attempt', family: 'carrier' },
] as const satisfies readonly Step<MessageStatus>[]

export const DELIVERY_STEPS = [
  { from: 'new', to: 'pending', when: 'event created for an endpoint' },
  { from: 'new', to: 'held', when: 'endpoint disabled or media missing', family: 'media' },
  { from: 'new', to: 'held', when: 'line disabled while media were copied', reasons: ['line_disabled'] },
  { from: 'pending', to: 'delivering', when: 'claimed' },
  { from: 'pending', to: 'held', when: 'endpoint disabled' },
  { from: 'pending', to: 'held', when: 'line disabled', reasons: ['line_disabled'] },
  {
    from: 'pending',
    to: 'exhausted',
    when: 'line disconnected or endpoint deleted',
    reasons: ['disconnected'],
  },
  { from: 'pending', to: 'exhausted', when: "person's data erased", reasons: ['forgotten'] },
  { from: 'pending', to: 'exhausted', when: 'repeated internal error', reasons: ['internal_error'] },
  { from: 'pending', to: 'pending', when: 'internal error', reasons: ['internal_error'] },
  {
    from: 'pending',
    to: 'pending',
    when: 'waiting for an earlier event',
    reasons: ['earlier_event_waits'],
  },
  { from: 'delivering', to: 'delivered', when: '2xx' },
  {
    from: 'delivering',
    to: 'pending',
    when: 'failed, will be retried',
    reasons: ['template_too_heavy'],
    family: 'request',
  },
  {
    from: 'delivering',
    to: 'pending',
    when: 'worker lost or late',
    reasons: ['worker_lost', 'internal_error'],
  },
  {
    from: 'delivering',
    to: 'exhausted',
    when: 'last attempt failed',
    reasons: ['stopped_by_receiver', 'template_failed', 'template_too_heavy'],
    family: 'request',
  },
  {
    from: 'delivering',
    to: 'exhausted',
    when: 'repeated internal error',
    reasons: ['internal_error'],
  },
  {
    from: 'delivering',
    to: 'held',
    when: '410, or failed after the endpoint was disabled',
    family: 'request',
  },
  // A success counts even after its lease has expired.
  { from: 'pending', to: 'delivered', when: 'late 2xx' },
  { from: 'held', to: 'delivered', when: 'late 2xx' },
  { from: 'exhausted', to: 'delivered', when: 'late 2xx' },
  { from: 'held', to: 'pending', when: 'retried, or media now copied', family: 'media' },
  { from: 'held', to: 'pending', when: 'line enabled' },
  { from: 'held', to: 'held', when: 'media requested again, still missing', family: 'media' },
  {
    from: 'held',
    to: 'exhausted',
    when: 'line disconnected or endpoint deleted',
    reasons: ['disconnected'],
  },
  { from: 'held', to: 'exhausted', when: "person's data erased", reasons: ['forgotten'] },
  { from: 'exhausted', to: 'pending', when: 'retried' },
  { from: 'delivered', to: 'pending', when: 'retried' },
] as const satisfies readonly Step<DeliveryStatus>[]

export const MEDIA_STEPS = [
  { from: 'new', to: 'pending', when: 'received or to be sent' },
  { from: 'pending', to: 'fetching', when: 'claimed' },
  { from: 'pending', to: 'failed', when: "person's data erased", family: 'media' },
  { from: 'fetching', to: 'stored', when: 'copied' },
  { from: 'fetching', to: 'pending', when: 'failed, will be retried', family: 'media' },
  { from: 'fetching', to: 'pending', when: 'worker lost' },
  { from: 'fetching', to: 'failed', when: 'failed permanently', family: 'media' },
  { from: 'failed', to: 'pending', when: 'requested again' },
] as const satisfies readonly Step<MediaStatus>[]

type ReasonOf<Steps extends readonly Step[]> = Extract<
  Steps[number],
  { reasons: readonly string[] }
>['reasons'][number]

/** Our own reasons for messages. A message may also have a `MediaReason`, or the carrier's words. */
export type MessageReason = ReasonOf<typeof MESSAGE_STEPS>

/** Our own reasons for deliveries. A delivery may also have a `RequestFailure` or a `MediaReason`. */
export type DeliveryReason = ReasonOf<typeof DELIVERY_STEPS>

/** Lists our own reasons of these steps, each once, for the API's description. */
export function listReasons(steps: readonly Step[]): string {
  const reasons = new Set(steps.flatMap(({ reasons = [] }) => reasons))
  return Array.from(reasons, (reason) => `\`${reason}\``).join(', ')
}
