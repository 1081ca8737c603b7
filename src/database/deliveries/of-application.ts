import { columnsOf } from '../../shape.js'
import type { Database } from '../connection.js'
import { idsBetween, type Page } from '../pages.js'
import { APPLICATION_DELIVERY_FIELDS, type ApplicationDelivery } from './delivery.js'

const COLUMNS = columnsOf(APPLICATION_DELIVERY_FIELDS)

/** Newest first; the caller has looked whose application it is. */
export async function listDeliveriesOfApplication(
  db: Database,
  applicationId: string,
  page: Page,
): Promise<ApplicationDelivery[]> {
  const span = idsBetween('d.id', page, {})
  const { rows } = await db.raw<{ rows: ApplicationDelivery[] }>(
    `select ${COLUMNS}
     from deliveries d
     where application_id = ? and application_id is not null${span.sql} order by d.id desc limit ?`,
    [applicationId, ...span.bindings, page.limit],
  )
  return rows
}
