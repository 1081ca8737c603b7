import type { DeliveryStatus } from '../../../states.js'
import type { Database } from '../../connection.js'

/** Counting stops here: beyond it, the page says "more than", because counting them all would be slow. */
export const MAX_COUNTED = 1000

/** How many events were sent to an endpoint, and how many still have to be. */
export interface EndpointWork {
  /** The time when an event was first sent to its URL, or first since it was enabled again. */
  calledAt: Date | null
  /** Deliveries that are under way or wait for their turn or for their next attempt. At most MAX_COUNTED + 1. */
  waitingCount: number
  /** Deliveries that wait for a person. At most MAX_COUNTED + 1. */
  heldCount: number
  /** The number of concurrent requests that it gets now, which depends on how it responds. */
  places: number
  /**
   * True if this number was halved recently, because the endpoint was overloaded; it then grows one by one
   * (`settle_deliveries`).
   */
  isSlowed: boolean
  /** The reason why the last attempt failed; null if it did not. */
  lastFailure: string | null
}

/**
 * The counts of `endpoints e` as `EndpointWork` has them. Each status is counted separately, because only then does
 * Postgres use the small index of each, and not the whole table.
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
