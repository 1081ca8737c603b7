import type { Database } from '../../database/connection.js'
import { findApplicationWebhook } from '../../database/applications/applications.js'
import { announceEvents, type NewDelivery } from '../../database/endpoints/deliveries/creating.js'
import { FAREWELL } from '../../database/endpoints/deliveries/ending.js'
import { findLineNumbers } from '../../database/lines/lines.js'
import { newId } from '../../ids.js'

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
