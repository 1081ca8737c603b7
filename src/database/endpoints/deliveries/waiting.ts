import type { DeliveryStatus } from '../../../states.js'
import type { Database } from '../../connection.js'

/** Counting stops here: with more the page says "more than", and counting them all would be slow. */
export const MAX_COUNTED = 1000

/** What an endpoint has been sent, and is still to be sent. */
export interface EndpointWork {
  /** When an event was first sent to its URL, or since it was enabled again. */
  calledAt: Date | null
  /** Deliveries that are under way or wait: for their turn, or for their next attempt. At most MAX_COUNTED + 1. */
  waitingCount: number
  /** Deliveries that wait for a person. At most MAX_COUNTED + 1. */
  heldCount: number
  /** How many requests it gets at a time now, by how it answers. */
  places: number
  /** Whether they were halved not long ago, because it was overloaded: they grow one by one (`settle_deliveries`). */
  isSlowed: boolean
  /** Why the last attempt failed; null: it did not. */
  lastFailure: string | null
}

/**
 * Of `endpoints e`, as `EndpointWork` has them. Each status by itself: only so Postgres takes the small index that each
 * has, and not the whole table.
 */
export const COUNTS = `${countOf('pending', 'delivering')} as "waitingCount", ${countOf('held')} as "heldCount"`

function countOf(...statuses: DeliveryStatus[]): string {
  const max = MAX_COUNTED + 1
  const each = statuses.map(
    (status) =>
      `(select from deliveries d where d.endpoint_id = e.id and d.status = '${status}' limit ${max})`,
  )
  return `(select count(*)::integer from (select from (${each.join(' union all ')}) d limit ${max}) counted)`
}

export async function findEndpointWork(db: Database, endpointId: string): Promise<EndpointWork | undefined> {
  const { rows } = await db.raw<{ rows: EndpointWork[] }>(
    `select e.called_at as "calledAt", e.last_failure as "lastFailure", ${COUNTS},
       least(e.places, (e.policy ->> 'requestsAtOnce')::integer) as places,
       e.slowed_at > clock_timestamp() - slowdown() is true as "isSlowed"
     from endpoints e where e.id = ?`,
    [endpointId],
  )
  return rows[0]
}
