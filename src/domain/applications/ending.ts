import { endWaitingDeliveries } from '../../database/deliveries/ending.js'
import type { Context } from '../context.js'

const BATCH = 1000

/**
 * Gives up what waits for an application: all of it, or what is of one line. This is only so that nobody sees it
 * waiting: the claim of a delivery (`claim_deliveries`) checks anyway whether the line is still connected.
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
