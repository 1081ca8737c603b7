import type { Database } from '../../database/connection.js'
import { findApplicationWebhook } from '../../database/applications/applications.js'
import { announceEvents, type NewDelivery } from '../../database/endpoints/deliveries/creating.js'
import { endWaitingDeliveries, FAREWELL } from '../../database/endpoints/deliveries/ending.js'
import { findLineNumbers } from '../../database/lines/lines.js'
import { Unavailable } from '../../errors.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'

/** The locks of a batch end with its statement. One statement for everything could take longer than a statement may. */
const BATCH = 1000

/**
 * Gives up deliveries that wait for applications: all of one, or those of one line. This only keeps them from being
 * shown as waiting: the claim of a delivery (`claim_in_lanes`) checks anyway whether the line is still connected. So an
 * outage is not reported to the caller, whose change is committed and would look as if it were not.
 */
export async function endDeliveriesOf(
  { db, log }: Context,
  ended: readonly { applicationId: string; lineId?: string }[],
): Promise<void> {
  try {
    for (const { applicationId, lineId } of ended)
      while ((await endWaitingDeliveries(db, applicationId, lineId, BATCH)) === BATCH);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    log.warn({ count: ended.length, err: error }, 'deliveries.not_ended')
  }
}

/**
 * Makes the event `lineDisconnected` for each line that a user disconnected, if the application asked for that event.
 * Runs in the transaction that disconnects the lines.
 *
 * @returns the deliveries to enqueue after it
 */
export async function insertDisconnections(
  trx: Database,
  which: { applicationId: string; userId: string; lineIds: readonly string[] },
): Promise<NewDelivery[]> {
  const { applicationId, userId, lineIds } = which
  const endpointId = await findApplicationWebhook(trx, applicationId)
  if (endpointId === undefined || lineIds.length === 0) return []
  const lines = await findLineNumbers(trx, lineIds)
  const events = lines.map(({ id: lineId, number }) => ({
    id: newId(),
    userId,
    lineId,
    messageId: null,
    type: FAREWELL,
    payload: '',
    fromNumber: number,
    toNumber: number,
  }))
  return announceEvents(trx, events, endpointId)
}
