import { findOptedInEndpoint, insertDelivery, type NewDelivery } from '../../database/deliveries/creating.js'
import type { Database } from '../../database/connection.js'
import { insertEvent } from '../../database/events.js'
import { findLineNumbers } from '../../database/lines.js'
import { newId } from '../../ids.js'

/**
 * Makes the event `lineDisconnected` for each line that a user took away, if the application asked for that event.
 * Runs in the transaction that disconnects the lines.
 *
 * @returns what is to be enqueued after it
 */
export async function insertDisconnections(
  trx: Database,
  which: { applicationId: string; userId: string; lineIds: readonly string[] },
): Promise<NewDelivery[]> {
  const { applicationId, userId, lineIds } = which
  const type = 'lineDisconnected'
  const endpoint = lineIds.length === 0 ? undefined : await findOptedInEndpoint(trx, applicationId, type)
  if (endpoint === undefined) return []
  const { endpointId, isDisabled } = endpoint
  const deliveries: NewDelivery[] = []
  for (const { id: lineId, number } of await findLineNumbers(trx, lineIds)) {
    const eventId = newId()
    const content = { userId, lineId, type, fromNumber: number } as const
    await insertEvent(trx, { ...content, id: eventId, messageId: null, payload: '', toNumber: number })
    const id = newId()
    await insertDelivery(trx, { ...content, id, eventId, endpointId, applicationId, isHeld: isDisabled })
    if (!isDisabled) deliveries.push({ id, endpointId, generation: 0 })
  }
  return deliveries
}
