import { endWaitingDeliveries } from '../../database/deliveries/ending.js'
import type { Context } from '../context.js'

const BATCH = 1000

/**
 * What waits for an application, all of it or one line's, is given up. Only so that nobody sees it waiting: who
 * would deliver it looks for himself whether the line is still connected (`claimDeliveries`).
 */
export async function endDeliveriesOf(
  { db }: Context,
  applicationId: string,
  lineId?: string,
): Promise<void> {
  for (;;) {
    const count = await endWaitingDeliveries(db, applicationId, lineId, BATCH)
    if (count < BATCH) return
  }
}
