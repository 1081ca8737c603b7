import type { Database } from '../connection.js'
import type { EventType } from '../events.js'
import { toJson } from '../text.js'
import { DISCONNECTED, FAREWELL } from './ending.js'

/** What a timer may be ahead of its time. */
const EARLY_MS = 50

/** A claimed delivery with all that an attempt needs, or one that was just put on hold or given up. */
export interface ClaimedDelivery {
  id: string
  endpointId: string
  /** held: the endpoint takes no events now; exhausted: it may have no more. There is nothing to attempt. */
  status: 'delivering' | 'held' | 'exhausted'
  attemptNumber: number
  /** Attempts of this round so far, this one included: the step of the retry schedule. */
  roundAttempt: number
  url: string
  secretSealed: Buffer
  /** Only while a rotation's overlap lasts. */
  previousSecretSealed: Buffer | null
  eventId: string
  lineId: string
  userId: string
  type: EventType
  payload: string
  fromNumber: string
  toNumber: string
  /** By Postgres's clock, which an endpoint's may be compared with. */
  claimedAt: Date
}

/** One that is pending and cannot be claimed now: for how long, or that it is to be tried in a process of its own. */
export type UnclaimableDelivery = { status: 'early'; ms: number } | { status: 'suspect' }

/**
 * pending → delivering by compare-and-set. Or → held when the endpoint is disabled, its line's connection is switched
 * off, or it is no longer its application's; or → exhausted when the line is no longer connected to the application (for an
 * event that says just that: when the application is deleted).
 * undefined: another worker has it, or it is over.
 *
 * @param maxLost one whose worker was lost so often is a suspect, and not claimed
 */
export async function claimDeliveries(
  db: Database,
  ids: readonly string[],
  leaseMs: number,
  maxLost: number,
): Promise<(ClaimedDelivery | UnclaimableDelivery | undefined)[]> {
  const { rows } = await db.raw<{ rows: ClaimedDelivery[] }>(
    `with claimed as (
       update deliveries d
       set (status, attempt_count, round_attempt_count, lease_until, last_failure) = (
         select o.status, d.attempt_count + (o.status = 'delivering')::integer,
           d.round_attempt_count + (o.status = 'delivering')::integer,
           case when o.status = 'delivering' then now() + make_interval(secs => ?) end,
           case when o.status = 'exhausted' then '${DISCONNECTED}' else d.last_failure end
         from (select case
           when d.application_id is not null and not case when d.type = '${FAREWELL}'
             then exists (select 1 from applications a where a.id = d.application_id and a.deleted_at is null)
             else exists (select 1 from application_lines c where c.application_id = d.application_id
               and c.line_id = d.line_id and 'messages:connect' = any (c.scopes)) end
             then 'exhausted'
           when e.disabled_at is not null or e.removed_at is not null then 'held'
           when d.application_id is null and exists (
             select 1 from developer_connections c where c.endpoint_id = e.id and c.enabled) then 'delivering'
           when d.application_id is not null and exists (
             select 1 from applications a where a.id = d.application_id and a.endpoint_id = e.id) then 'delivering'
           else 'held' end as status) o)
       from endpoints e
       where d.id = any (?::uuid[]) and d.status = 'pending' and e.id = d.endpoint_id and d.lost_count < ?
         and coalesce(d.not_before, '-infinity') <= clock_timestamp() + interval '${EARLY_MS} milliseconds'
       returning d.id, d.event_id, d.endpoint_id as "endpointId", d.status, d.attempt_count as "attemptNumber",
         d.round_attempt_count as "roundAttempt", e.url, e.secret_sealed as "secretSealed",
         case when e.previous_secret_until > now() then e.previous_secret_sealed end as "previousSecretSealed"
     )
     select c.*, v.id as "eventId", v.line_id as "lineId", v.user_id as "userId", v.type, v.payload,
       v.from_number as "fromNumber", v.to_number as "toNumber", clock_timestamp() as "claimedAt"
     -- One look-up for each, whatever the planner believes of a table that has just filled.
     from claimed c cross join lateral (select * from events where id = c.event_id limit 1) v`,
    [leaseMs / 1000, [...ids], maxLost],
  )
  const byId = new Map<string, ClaimedDelivery | UnclaimableDelivery>(rows.map((row) => [row.id, row]))
  const missed = ids.filter((id) => !byId.has(id))
  for (const { id, ...why } of await findUnclaimable(db, missed, maxLost)) byId.set(id, why)
  return ids.map((id) => {
    const row = byId.get(id)
    byId.delete(id)
    return row
  })
}

async function findUnclaimable(
  db: Database,
  ids: readonly string[],
  maxLost: number,
): Promise<({ id: string } & UnclaimableDelivery)[]> {
  if (ids.length === 0) return []
  const { rows } = await db.raw<{ rows: ({ id: string } & UnclaimableDelivery)[] }>(
    `select id, case when lost_count >= ? then 'suspect' else 'early' end as status,
       ceil(extract(epoch from not_before - clock_timestamp()) * 1000)::float8 as ms
     from deliveries where id = any (?::uuid[]) and status = 'pending'
       and (lost_count >= ? or not_before > clock_timestamp())`,
    [maxLost, [...ids], maxLost],
  )
  return rows
}

/** Ends a claim as if it had not been: nothing was sent. A later one is left alone. */
export async function giveDeliveryBack(
  db: Database,
  { id, attemptNumber }: Pick<ClaimedDelivery, 'id' | 'attemptNumber'>,
): Promise<void> {
  await db.raw(
    `update deliveries set status = 'pending', lease_until = null, round_attempt_count = round_attempt_count - 1,
       due_at = clock_timestamp()
     where id = any (?::uuid[]) and status = 'delivering' and attempt_count = ?`,
    [[id], attemptNumber],
  )
}

/** An attempt and what comes of it. */
export interface AttemptResult {
  attemptId: string
  deliveryId: string
  endpointId: string
  /** Where it went: an endpoint that has another URL by now is not judged by what the old one did. */
  url: string
  attemptNumber: number
  startedAt: Date
  durationMs: number
  responseStatus?: number
  responseExcerpt?: string
  failure?: string
  status: 'delivered' | 'pending' | 'exhausted' | 'held'
  /** For `pending`: when the next attempt is due. */
  retryInMs?: number
  /** The endpoint said that it is gone for good (410). */
  isGone?: boolean
}

/**
 * Writes attempts, their deliveries' new states and the endpoints' health in one statement. A result that comes
 * after the lease is over is recorded too, and a success counts if no later attempt has begun: an outage of
 * Postgres ends the leases of everything that is under way.
 *
 * Endpoints are locked in order of their ids: processes report on the same ones all the time.
 */
export async function recordAttempts(
  db: Database,
  results: readonly AttemptResult[],
  disableAfterMs: number,
): Promise<void> {
  await db.raw(
    `with given as (
       select * from jsonb_to_recordset(?::jsonb) as x("attemptId" uuid, "deliveryId" uuid, "endpointId" uuid,
         url text, "attemptNumber" integer, "startedAt" timestamptz, "durationMs" integer, "responseStatus" integer,
         "responseExcerpt" text, failure text, status text, "retryInMs" bigint, "isGone" boolean)
     ), attempts as (
       insert into delivery_attempts (id, delivery_id, attempt_number, started_at, duration_ms, response_status,
         response_excerpt, failure, next_attempt_at)
       select "attemptId", "deliveryId", "attemptNumber", "startedAt", "durationMs", "responseStatus",
         "responseExcerpt", failure, clock_timestamp() + make_interval(secs => "retryInMs" / 1000.0)
       from given
     ), settled as (
       update deliveries d set status = g.status, last_failure = g.failure, lease_until = null, lost_count = 0,
         due_at = clock_timestamp() + make_interval(secs => coalesce(g."retryInMs", 0) / 1000.0),
         not_before = clock_timestamp() + make_interval(secs => g."retryInMs" / 1000.0),
         delivered_at = case when g.status = 'delivered' then clock_timestamp() end
       from given g
       where d.id = any (?::uuid[]) and d.id = g."deliveryId" and d.attempt_count = g."attemptNumber"
         and (d.status = 'delivering' or (g.status = 'delivered' and d.status <> 'delivered'))
     ), health as (
       select g."endpointId" as id, count(*) filter (where g.failure is not null)::integer as failures,
         bool_or(g.status = 'delivered') as works, coalesce(bool_or(g."isGone"), false) as is_gone
       from given g join endpoints e on e.id = g."endpointId" and e.url = g.url
       group by g."endpointId"
     ), locked as (
       select e.id from endpoints e join health h on h.id = e.id
       where not h.works or e.failing_since is not null or e.called_at is null
       order by e.id for no key update of e
     )
     update endpoints e set
       called_at = coalesce(e.called_at, now()),
       failing_since = case when h.works then null else coalesce(e.failing_since, now()) end,
       consecutive_failure_count = case when h.works then 0 else e.consecutive_failure_count + h.failures end,
       disabled_at = case when e.disabled_at is not null then e.disabled_at
         when h.is_gone or (not h.works and e.failing_since < now() - make_interval(secs => ?)) then now() end,
       disabled_reason = case when e.disabled_at is not null then e.disabled_reason
         when h.is_gone then 'gone'
         when not h.works and e.failing_since < now() - make_interval(secs => ?) then 'failing' end
     from health h, locked
     where e.id = h.id and e.id = locked.id`,
    [
      toJson(results),
      // The ids once more: joined with a record set alone, the planner reads the whole table for a handful of rows.
      results.map(({ deliveryId }) => deliveryId),
      disableAfterMs / 1000,
      disableAfterMs / 1000,
    ],
  )
}

/** Lets pending deliveries wait: no job that comes earlier does anything, and the sweep leaves them alone until then. */
export async function postponeDeliveries(
  db: Database,
  waits: readonly { id: string; ms: number }[],
): Promise<void> {
  await db.raw(
    `update deliveries d set due_at = clock_timestamp() + make_interval(secs => g.ms / 1000.0),
       not_before = clock_timestamp() + make_interval(secs => g.ms / 1000.0)
     from jsonb_to_recordset(?::jsonb) as g(id uuid, ms integer)
     where d.id = any (?::uuid[]) and d.id = g.id and d.status = 'pending'`,
    [JSON.stringify(waits), waits.map(({ id }) => id)],
  )
}
