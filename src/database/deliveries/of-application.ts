import type { DeliveryStatus } from '../../states.js'
import type { Database } from '../connection.js'
import type { EventType } from '../events.js'
import { idsBetween, type Page } from '../pages.js'

/** A delivery as the application's owner sees it: how it went, and nothing of what was said on another user's line. */
export interface ApplicationDelivery {
  id: string
  /** The header `webhook-id` of every attempt. */
  eventId: string
  lineId: string
  type: EventType
  status: DeliveryStatus
  attemptCount: number
  lastFailure: string | null
  createdAt: Date
  /** While pending: when it is tried next. */
  dueAt: Date
  deliveredAt: Date | null
}

/** Newest first; the caller has looked whose application it is. */
export async function listDeliveriesOfApplication(
  db: Database,
  applicationId: string,
  page: Page,
): Promise<ApplicationDelivery[]> {
  const span = idsBetween('id', page, {})
  const { rows } = await db.raw<{ rows: ApplicationDelivery[] }>(
    `select id, event_id as "eventId", line_id as "lineId", type, status, attempt_count as "attemptCount",
       last_failure as "lastFailure", created_at as "createdAt", due_at as "dueAt", delivered_at as "deliveredAt"
     from deliveries
     where application_id = ? and application_id is not null${span.sql} order by id desc limit ?`,
    [applicationId, ...span.bindings, page.limit],
  )
  return rows
}
