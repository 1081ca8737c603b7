import type { Database } from '../../connection.js'
import { WITHOUT_MEDIA } from '../../endpoints/deliveries/creating.js'
import { COUNTS } from '../../endpoints/deliveries/waiting.js'

/** An endpoint, with what people know it by. */
export interface NamedEndpoint {
  id: string
  url: string
  userId: string
  /** The owner of the endpoint: a line, an application, or the user's account. */
  lineId: string | null
  lineNumber: string | null
  lineName: string | null
  applicationId: string | null
  applicationName: string | null
}

/** An endpoint that takes no events, or fewer than it should. */
export interface TroubledEndpoint extends NamedEndpoint {
  failingSince: Date | null
  consecutiveFailureCount: number
  /** Why the last attempt failed, while the endpoint is failing. */
  lastFailure: string | null
  disabledAt: Date | null
  disabledReason: 'gone' | 'failing' | null
  /** The counts stop at MAX_COUNTED + 1. */
  waitingCount: number
  heldCount: number
}

const SHOWN = 8

const OWNERS = `
  left join developer_connections c on c.line_id = e.line_id
  left join lines l on l.id = c.line_id
  left join applications a on a.id = e.application_id and a.deleted_at is null`

const NAMES = `e.id, e.url, e.user_id as "userId", l.id as "lineId", l.number as "lineNumber",
  l.name as "lineName", a.id as "applicationId", a.name as "applicationName"`

/** The endpoints of a disabled user are inactive on purpose. */
const IN_USE = `e.removed_at is null and (c.enabled or a.id is not null or e.line_id is null and e.application_id is null)
  and e.disabled_reason is distinct from 'owner_disabled'`

/**
 * Lists disabled ones first, then those with the most failures in a row, then those that are too slow for their
 * events.
 */
export async function listTroubledEndpoints(
  db: Database,
): Promise<{ endpoints: TroubledEndpoint[]; groups: TroubledGroup[] }> {
  const { rows: endpoints } = await db.raw<{ rows: TroubledEndpoint[] }>(
    `with troubled as materialized (
       select ${NAMES}, e.failing_since as "failingSince", e.consecutive_failure_count as "consecutiveFailureCount",
         e.last_failure as "lastFailure", e.disabled_at as "disabledAt", e.disabled_reason as "disabledReason"
       from endpoints e${OWNERS}
       where ${IN_USE} and (e.disabled_at is not null or e.failing_since is not null
         or e.slowed_at > now() - slowdown())
       order by e.disabled_at is null, e.failing_since is null, e.consecutive_failure_count desc, e.slowed_at desc
       limit ${SHOWN}
     )
     select e.*, ${COUNTS}
     from troubled e`,
  )
  const { rows: groups } = await db.raw<{ rows: TroubledGroup[] }>(
    `select t."disabledReason", t."lastFailure", count(*)::integer as count, min(t.since) as since,
       max(t.failures) as "failureCount", jsonb_agg(t.endpoint order by t.n) filter (where t.n <= ${NAMED}) as endpoints
     from (
       select e.disabled_reason as "disabledReason", e.last_failure as "lastFailure",
         coalesce(e.disabled_at, e.failing_since) as since, e.consecutive_failure_count as failures,
         jsonb_build_object('id', e.id, 'url', e.url, 'userId', e.user_id, 'lineId', l.id, 'lineNumber', l.number,
           'lineName', l.name,
           'applicationId', a.id, 'applicationName', a.name, 'ownerEmail', u.email) as endpoint,
         row_number() over (partition by e.disabled_reason, e.last_failure
           order by coalesce(e.disabled_at, e.failing_since), e.id) as n
       from endpoints e join users u on u.id = e.user_id${OWNERS}
       where ${IN_USE} and (e.disabled_at is not null or e.failing_since is not null)
     ) t
     group by 1, 2 order by t."disabledReason" is null, 3 desc`,
  )
  return { endpoints, groups: groups.map((group) => ({ ...group, since: new Date(group.since) })) }
}

/** Endpoints with the same trouble: disabled for one reason, or failing for one. */
export interface TroubledGroup {
  disabledReason: 'gone' | 'failing' | null
  lastFailure: string | null
  count: number
  /** When the first of them ran into it. */
  since: Date
  /** The most failures in a row of any of them. */
  failureCount: number
  /** The endpoints that are named. */
  endpoints: (NamedEndpoint & { ownerEmail: string })[]
}

/** The number of endpoints of a group that are named as examples, for the person who fixes a common cause. */
const NAMED = 20

/** An endpoint that people are or were notified of. */
export interface ToldEndpoint extends Omit<TroubledEndpoint, 'waitingCount' | 'heldCount'> {
  /** The time when it first accepted or refused something since its URL was set or enabled. */
  calledAt: Date | null
  isInUse: boolean
  /** True if its events are paused. */
  isPaused: boolean
  failedForMs: number | null
}

/** The most, besides those that were requested by id. */
const MAX_TOLD = 5000

/**
 * Lists the endpoints that were disabled because of their answers, those with this many failures in a row, and those
 * with these ids in any state.
 */
export async function listEndpointsToTell(
  db: Database,
  manyFailures: number,
  ids: readonly string[],
): Promise<ToldEndpoint[]> {
  const { rows } = await db.raw<{ rows: ToldEndpoint[] }>(
    `select ${NAMES}, e.failing_since as "failingSince",
       e.consecutive_failure_count as "consecutiveFailureCount", e.last_failure as "lastFailure", e.disabled_at as "disabledAt",
       e.disabled_reason as "disabledReason", e.called_at as "calledAt", coalesce(${IN_USE}, false) as "isInUse",
       e.paused_at is not null as "isPaused",
       (extract(epoch from now() - e.failing_since) * 1000)::double precision as "failedForMs"
     from endpoints e${OWNERS}
     where (${IN_USE} and (e.disabled_reason in ('gone', 'failing') or e.consecutive_failure_count >= :manyFailures))
       or e.id = any (:ids)
     order by e.id = any (:ids) desc, e.disabled_at is null, e.failing_since limit :limit`,
    { manyFailures, ids: [...ids], limit: ids.length + MAX_TOLD },
  )
  return rows
}

export type HoldingEndpoint = NamedEndpoint & { heldCount: number }

/** The most held events that are counted. */
const MAX_HELD = 10_000

/**
 * Lists the endpoints that accept events again while some of their held events have not been sent. Events that wait for
 * media do not count.
 */
export async function listHoldingEndpoints(db: Database): Promise<HoldingEndpoint[]> {
  const { rows } = await db.raw<{ rows: HoldingEndpoint[] }>(
    `with held as (
       select endpoint_id, count(*)::integer as count from (
         select endpoint_id, last_failure from deliveries where status = 'held' limit ${MAX_HELD}
       ) d where not ${WITHOUT_MEDIA} group by 1
     )
     select ${NAMES}, held.count as "heldCount"
     from held join endpoints e on e.id = held.endpoint_id${OWNERS}
     where ${IN_USE} and e.disabled_at is null
     order by held.count desc limit ${SHOWN}`,
  )
  return rows
}
