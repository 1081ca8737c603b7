import type { FetchFailureName } from './safe-fetch/failures.js'

/**
 * What a message, a delivery and a copy of media can become: by which step, and with which reason in the row. Types,
 * the console's words and the API's description come from here, `docs/states.md` is drawn of it (`npm run states`), and
 * `test/states.test.ts` has Postgres refuse every other step.
 *
 * SQL takes the steps (`src/database/sql`, `src/database/{messages,endpoints/deliveries,media}`); a new one is a line here first.
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

/** What the answer of an endpoint, or the lack of one, is called. */
export type RequestFailure = FetchFailureName | 'redirect' | `http_${number}`

/** Why media could not be copied. `gone`: our own, and deleted. `unavailable`: our storage or Postgres. */
export type MediaReason = `media_${
  RequestFailure | 'type' | 'truncated' | 'gone' | 'unavailable' | 'internal_error'}`

declare const ofCarrier: unique symbol
/** What a carrier says of a message, shown as it is: no other text is taken for a reason by mistake. */
export type CarrierWords = string & { readonly [ofCarrier]: true }

/** Reasons of which there are too many to name each. */
type Family = 'media' | 'request' | 'carrier'

export interface Step<Status extends string = string> {
  /** `new`: there was no row before. */
  from: Status | 'new'
  to: Status
  /** What happened, as the picture says it. */
  when: string
  /** What the row says of it; left out: nothing, or what it said before. */
  reasons?: readonly string[]
  /** And any reason of this family. */
  family?: Family
}

export const MESSAGE_STEPS = [
  { from: 'new', to: 'queued', when: 'accepted' },
  { from: 'new', to: 'scheduled', when: 'accepted for later' },
  { from: 'new', to: 'received', when: 'received' },
  { from: 'scheduled', to: 'queued', when: 'its time has come' },
  { from: 'queued', to: 'scheduled', when: 'put off' },
  {
    from: 'scheduled',
    to: 'failed',
    when: 'may not be sent',
    reasons: ['cancelled', 'disconnected', 'expired', 'forgotten'],
  },
  { from: 'queued', to: 'sending', when: 'claimed' },
  {
    from: 'queued',
    to: 'failed',
    when: 'may not be sent',
    reasons: ['cancelled', 'expired', 'forgotten', 'line_disabled', 'opted_out'],
    family: 'media',
  },
  { from: 'queued', to: 'failed', when: 'our own fault, again and again', reasons: ['internal_error'] },
  { from: 'sending', to: 'sent', when: 'taken by the carrier' },
  {
    from: 'sending',
    to: 'queued',
    when: 'not taken',
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
  { from: 'sending', to: 'delivered', when: 'receipt before the answer' },
  { from: 'sent', to: 'delivered', when: 'receipt' },
  { from: 'sent', to: 'failed', when: 'receipt', family: 'carrier' },
  // A worker that was taken for lost, or was told nothing, may have had its answer all the same.
  {
    from: 'unknown',
    to: 'unknown',
    when: 'nothing is known of it',
    reasons: ['carrier_has_no_record', 'carrier_outcome_unknown'],
  },
  { from: 'unknown', to: 'sent', when: 'late answer, or receipt' },
  { from: 'unknown', to: 'delivered', when: 'receipt' },
  {
    from: 'unknown',
    to: 'failed',
    when: 'late answer, or receipt',
    reasons: ['carrier_missing'],
    family: 'carrier',
  },
  {
    from: 'unknown',
    to: 'queued',
    when: 'late answer, not taken',
    reasons: ['throttled', 'carrier_unavailable'],
  },
  // It went back to the queue, and the carrier has it nevertheless.
  { from: 'queued', to: 'sent', when: 'receipt of an earlier attempt' },
  { from: 'queued', to: 'delivered', when: 'receipt of an earlier attempt' },
  { from: 'queued', to: 'failed', when: 'receipt of an earlier attempt', family: 'carrier' },
] as const satisfies readonly Step<MessageStatus>[]

export const DELIVERY_STEPS = [
  { from: 'new', to: 'pending', when: 'event for an endpoint' },
  { from: 'new', to: 'held', when: 'endpoint disabled, or media not there', family: 'media' },
  { from: 'pending', to: 'delivering', when: 'claimed' },
  { from: 'pending', to: 'held', when: 'endpoint disabled' },
  {
    from: 'pending',
    to: 'exhausted',
    when: 'line disconnected, or endpoint deleted',
    reasons: ['disconnected'],
  },
  { from: 'pending', to: 'exhausted', when: 'person forgotten', reasons: ['forgotten'] },
  { from: 'pending', to: 'exhausted', when: 'our own fault, again and again', reasons: ['internal_error'] },
  { from: 'pending', to: 'pending', when: 'our own fault', reasons: ['internal_error'] },
  {
    from: 'pending',
    to: 'pending',
    when: 'an earlier event comes first',
    reasons: ['earlier_event_waits'],
  },
  { from: 'delivering', to: 'delivered', when: '2xx' },
  {
    from: 'delivering',
    to: 'pending',
    when: 'failed, to be repeated',
    reasons: ['template_too_heavy'],
    family: 'request',
  },
  {
    from: 'delivering',
    to: 'pending',
    when: 'worker lost, or late',
    reasons: ['worker_lost', 'internal_error'],
  },
  {
    from: 'delivering',
    to: 'exhausted',
    when: 'failed for the last time',
    reasons: ['stopped_by_receiver', 'template_failed', 'template_too_heavy'],
    family: 'request',
  },
  {
    from: 'delivering',
    to: 'exhausted',
    when: 'our own fault, again and again',
    reasons: ['internal_error'],
  },
  { from: 'delivering', to: 'held', when: '410', family: 'request' },
  // A success counts also after its lease.
  { from: 'pending', to: 'delivered', when: 'late 2xx' },
  { from: 'held', to: 'delivered', when: 'late 2xx' },
  { from: 'exhausted', to: 'delivered', when: 'late 2xx' },
  { from: 'held', to: 'pending', when: 'sent again, or media there', family: 'media' },
  { from: 'held', to: 'held', when: 'media asked for again, and not there', family: 'media' },
  {
    from: 'held',
    to: 'exhausted',
    when: 'line disconnected, or endpoint deleted',
    reasons: ['disconnected'],
  },
  { from: 'held', to: 'exhausted', when: 'person forgotten', reasons: ['forgotten'] },
  { from: 'exhausted', to: 'pending', when: 'sent again' },
  { from: 'delivered', to: 'pending', when: 'sent again' },
] as const satisfies readonly Step<DeliveryStatus>[]

export const MEDIA_STEPS = [
  { from: 'new', to: 'pending', when: 'received, or to be sent' },
  { from: 'pending', to: 'fetching', when: 'claimed' },
  { from: 'pending', to: 'failed', when: 'person forgotten', family: 'media' },
  { from: 'fetching', to: 'stored', when: 'copied' },
  { from: 'fetching', to: 'pending', when: 'failed, to be repeated', family: 'media' },
  { from: 'fetching', to: 'pending', when: 'worker lost' },
  { from: 'fetching', to: 'failed', when: 'failed for good', family: 'media' },
  { from: 'failed', to: 'pending', when: 'asked for again' },
] as const satisfies readonly Step<MediaStatus>[]

type ReasonOf<Steps extends readonly Step[]> = Extract<
  Steps[number],
  { reasons: readonly string[] }
>['reasons'][number]

/** Our own reasons. A message may also have a `MediaReason`, or the carrier's words. */
export type MessageReason = ReasonOf<typeof MESSAGE_STEPS>

/** Our own reasons. A delivery may also have a `RequestFailure` or a `MediaReason`. */
export type DeliveryReason = ReasonOf<typeof DELIVERY_STEPS>

/** Our own reasons that steps give, each once, for the API's description. */
export function listReasons(steps: readonly Step[]): string {
  const reasons = new Set(steps.flatMap(({ reasons = [] }) => reasons))
  return Array.from(reasons, (reason) => `\`${reason}\``).join(', ')
}
