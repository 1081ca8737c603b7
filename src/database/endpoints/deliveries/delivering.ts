import type { EventType } from '../../../event-types.js'
import type { Phases } from '../../../safe-fetch.js'
import type { DeliveryReason, RequestFailure } from '../../../states.js'
import { newId } from '../../../ids.js'
import { callFunction } from '../../answers.js'
import type { Database } from '../../connection.js'
import type { StoredPolicy } from '../policy.js'
import { toJson } from '../../text.js'

/** A claimed delivery with all that an attempt needs, or one that was just put on hold or given up. */
export interface ClaimedDelivery {
  id: string
  endpointId: string
  /**
   * held: the endpoint takes no events now; exhausted: it may have no more attempts; parked: an earlier event of its
   * number comes first. In all of these states, there is nothing to attempt.
   */
  status: 'delivering' | 'held' | 'exhausted' | 'parked'
  attemptNumber: number
  /** The number of attempts in this round, including this one: the step of the retry schedule. */
  roundAttempt: number
  /** The user whose endpoint it is, who may not be the one whose line it is about. */
  ownerId: string
  url: string
  secretSealed: Buffer
  /** It is only set while a rotation's overlap lasts. */
  previousSecretSealed: Buffer | null
  policy: StoredPolicy
  headersSealed: Buffer | null
  /** True if a replay sends it; a header tells the endpoint. */
  isReplay: boolean
  eventId: string
  /** null, like both numbers, if it is not about a line. */
  lineId: string | null
  userId: string
  type: EventType
  payload: string
  fromNumber: string | null
  toNumber: string | null
  /** The time of the claim by Postgres's clock, with which an endpoint's may be compared. */
  claimedAt: Date
  /**
   * The time when the claim was requested, by `performance.now()`: it tells a process that was suspended that it is
   * late.
   */
  claimedSince: number
}

/** An attempt and its result. */
export interface AttemptResult {
  attemptId: string
  deliveryId: string
  eventId: string
  endpointId: string
  /** The URL that was called. If the endpoint has another one by now, this attempt does not count for its health. */
  url: string
  attemptNumber: number
  startedAt: Date
  durationMs: number
  responseStatus?: number
  responseExcerpt?: string
  /** What went wrong with the response's body after its status had arrived. */
  bodyFailure?: RequestFailure
  /** The headers that were sent and received, without the secrets in them, and no more than a page shows. */
  requestHeaders?: Record<string, string>
  responseHeaders?: Record<string, string>
  phases?: Phases
  failure?: RequestFailure | DeliveryReason
  status: 'delivered' | 'pending' | 'exhausted' | 'held'
  /** The wait before the next attempt, for `pending`. */
  retryInMs?: number
  /** True if the endpoint said that it is gone for good (410). */
  isGone?: boolean
  /** True if it took longer than usual. */
  isSlow?: boolean
}

/** A step of a lane, after one of the endpoint's requests has ended or there is room for more. */
export interface LaneStep {
  endpointId: string
  /** The result of the attempt that ended. */
  result?: AttemptResult
  /** The number of deliveries that this process can take now; 0 means none. */
  places: number
  /** If set, only this delivery is claimed. */
  deliveryId?: string
}

export interface LaneAnswer {
  /**
   * What became of the result's delivery instead: its endpoint no longer takes events, it was disconnected, or a 410 came from
   * a URL that the endpoint no longer has.
   */
  became?: 'held' | 'exhausted' | 'pending'
  deliveries: ClaimedDelivery[]
  /**
   * The wait until the next one is due, if none is due now; null if none waits, if more may be due, or if the endpoint has as
   * many requests as it is allowed.
   */
  nextDueMs: number | null
}

export interface LaneSettings {
  leaseMs: number
  /** A delivery whose worker was lost this often is a suspect, and is not claimed. */
  maxLost: number
  /** The most concurrent requests that an endpoint's limit may grow to. */
  maxInFlight: number
  disableAfterMs: number
}

type Row = Omit<ClaimedDelivery, 'id' | 'status' | 'claimedSince'> & {
  n: number | null
  deliveryId: string
  status: ClaimedDelivery['status'] | 'idle'
  nextDueMs: number | null
}

/** `limit 1` makes it one look-up for each: otherwise Postgres might join with the whole table. */
const POLICY = {
  columns: ', asked.*',
  join: ` left join lateral (select e.policy, e.headers_sealed as "headersSealed", e.user_id as "ownerId"
    from endpoints e where e.id = step_lanes.endpoint_id limit 1) asked on true`,
}

/** Records the results of attempts and claims the next deliveries, for many lanes in one round trip (`step_lanes`). */
export async function deliverNext(
  db: Database,
  steps: readonly LaneStep[],
  limits: LaneSettings,
): Promise<LaneAnswer[]> {
  const claimedSince = performance.now()
  const rows = await callFunction<'step_lanes', Row>(
    db,
    'step_lanes',
    '?::jsonb, ?::jsonb, make_interval(secs => ?), ?, ?, make_interval(secs => ?)',
    [
      toJson(steps.flatMap(({ result }) => (result ? [asResultRow(result)] : []))),
      JSON.stringify(asWants(steps)),
      limits.leaseMs / 1000,
      limits.maxLost,
      limits.maxInFlight,
      limits.disableAfterMs / 1000,
    ],
    POLICY,
  )
  const answers = steps.map((): LaneAnswer => ({ deliveries: [], nextDueMs: null }))
  for (const { n, nextDueMs, status, deliveryId: id, ...row } of rows) {
    const answer = answers[n ?? steps.findIndex(({ result }) => result?.deliveryId === id)]
    if (answer === undefined) continue
    if (n === null) Object.assign(answer, { became: status })
    else if (status === 'idle') answer.nextDueMs = nextDueMs
    else answer.deliveries.push({ id, ...row, status, claimedSince })
  }
  return answers
}

function asResultRow(result: AttemptResult): object {
  const { requestHeaders, responseHeaders } = result
  const { dnsMs, connectMs, tlsMs, firstByteMs } = result.phases ?? {}
  return {
    attempt_id: result.attemptId,
    delivery_id: result.deliveryId,
    endpoint_id: result.endpointId,
    url: result.url,
    attempt_number: result.attemptNumber,
    started_at: result.startedAt,
    duration_ms: result.durationMs,
    response_status: result.responseStatus,
    response_excerpt: result.responseExcerpt,
    body_failure: result.bodyFailure,
    failure: result.failure,
    status: result.status,
    retry_in_ms: result.retryInMs,
    is_gone: result.isGone,
    is_slow: result.isSlow,
    dns_ms: dnsMs,
    connect_ms: connectMs,
    tls_ms: tlsMs,
    first_byte_ms: firstByteMs,
    request_headers: requestHeaders && JSON.stringify(requestHeaders),
    response_headers: responseHeaders && JSON.stringify(responseHeaders),
  }
}

/**
 * Makes one want for each endpoint, and one for each step that names a delivery; `n` is the step that gets the
 * answer.
 */
function asWants(steps: readonly LaneStep[]): object[] {
  const lanes = new Map<string, { n: number; places: number }>()
  for (const [n, { endpointId, places, deliveryId }] of steps.entries()) {
    if (places === 0) continue
    const key = deliveryId ?? endpointId
    lanes.set(key, { n: lanes.get(key)?.n ?? n, places: places + (lanes.get(key)?.places ?? 0) })
  }
  return [...lanes.values()].map(({ n, places }) => ({
    ...{ n, places, endpoint_id: steps[n]?.endpointId, delivery_id: steps[n]?.deliveryId },
  }))
}

/** A pending delivery that cannot be claimed now: it has to wait this long, or to be tried in a separate process. */
export type UnclaimableDelivery = { status: 'early'; ms: number } | { status: 'suspect' }

/**
 * While its endpoint is paused, the job of a suspect checks this often whether it still is, because no lane reaches it.
 * No process is started for that.
 */
const PAUSED_LOOK_MS = 30_000

/**
 * Finds the reason why a delivery was not claimed; undefined if its endpoint is full, another process has it, or it
 * is over.
 */
export async function findUnclaimable(
  db: Database,
  id: string,
  maxLost: number,
): Promise<UnclaimableDelivery | undefined> {
  const { rows } = await db.raw<{ rows: UnclaimableDelivery[] }>(
    `select case when d.lost_count >= ? and d.due_at <= clock_timestamp() and e.paused_at is null then 'suspect'
         else 'early' end as status,
       case when d.due_at > clock_timestamp() then ceil(extract(epoch from d.due_at - clock_timestamp()) * 1000)::float8
         else ? end as ms
     from deliveries d join endpoints e on e.id = d.endpoint_id
     where d.id = any (?::uuid[]) and d.status = 'pending'
       and (d.lost_count >= ? or d.due_at > clock_timestamp() or e.paused_at is not null)`,
    [maxLost, PAUSED_LOOK_MS, [id], maxLost],
  )
  return rows[0]
}

const GIVE_BACK = `update deliveries set status = 'pending', lease_until = null, round_attempt_count = round_attempt_count - 1
  where id = any (?::uuid[]) and status = 'delivering' and attempt_count = ?`

/** Undoes a claim: nothing was sent, and the delivery keeps its place. A later claim of it is left alone. */
export async function giveDeliveryBack(
  db: Database,
  { id, attemptNumber }: Pick<ClaimedDelivery, 'id' | 'attemptNumber'>,
): Promise<void> {
  await db.raw(GIVE_BACK, [[id], attemptNumber])
}

/**
 * Gives back a delivery whose request is cut off because its process stops. The endpoint may get the event twice, so the
 * attempt is recorded, but it uses up no step of the schedule.
 */
export async function giveCutDeliveryBack(
  db: Database,
  { id, attemptNumber, claimedAt }: Pick<ClaimedDelivery, 'id' | 'attemptNumber' | 'claimedAt'>,
): Promise<void> {
  await db.raw(
    `with given_back as (${GIVE_BACK} returning id, attempt_count)
     insert into delivery_attempts (id, delivery_id, attempt_number, started_at, duration_ms, failure)
     select ?::uuid, g.id, g.attempt_count, x.started_at,
       (extract(epoch from clock_timestamp() - x.started_at) * 1000)::integer, 'aborted'
     from given_back g cross join (select ?::timestamptz as started_at) x`,
    [[id], attemptNumber, newId(), claimedAt],
  )
}
