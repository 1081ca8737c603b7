import {
  endWaitingDeliveries,
  endWaitingDeliveriesTo,
  listEndedWithDeliveries,
  type Ended,
} from '../../../database/endpoints/deliveries/ending.js'
import { Unavailable } from '../../../errors.js'
import type { Context } from '../../context.js'

/** The locks of a batch end with its statement. One statement for everything could take longer than a statement may. */
const BATCH = 1000

/**
 * Gives up the deliveries that wait for any of these. This only keeps them from being shown as waiting: the claim of a
 * delivery (`claim_in_lanes`) checks anyway. So an outage is not reported to the caller, whose change is committed and
 * would look as if it were not.
 */
export async function endDeliveriesOf({ db, log }: Context, ended: readonly Ended[]): Promise<void> {
  const endBatch = (of: Ended) =>
    'endpointId' in of
      ? endWaitingDeliveriesTo(db, of.endpointId, BATCH)
      : endWaitingDeliveries(db, of.applicationId, of.lineId, BATCH)
  try {
    for (const each of ended) while ((await endBatch(each)) === BATCH);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    log.warn({ ended, err: error }, 'deliveries.not_ended')
  }
}

/**
 * Gives up what an outage kept `endDeliveriesOf` from.
 *
 * @returns the number of endpoints, and of lines of applications, that it found
 */
export async function endDeliveriesLeftWaiting(context: Context): Promise<number> {
  const ended = await listEndedWithDeliveries(context.db)
  await endDeliveriesOf(context, ended)
  return ended.length
}
