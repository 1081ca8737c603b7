import type { Database } from '../../database/connection.js'
import {
  findOptedInEndpoint,
  insertDelivery,
  type NewDelivery,
} from '../../database/endpoints/deliveries/creating.js'
import { endWaitingDeliveries } from '../../database/endpoints/deliveries/ending.js'
import { insertEvent } from '../../database/endpoints/events.js'
import { findLineNumbers } from '../../database/lines/lines.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'

/** The locks of a batch end with its statement. One statement for everything could take longer than a statement may. */
const BATCH = 1000

/**
 * Gives up what waits for an application: all of it, or what is of one line. This is only so that nobody sees it
 * waiting: the claim of a delivery (`claim_in_lanes`) checks anyway whether the line is still connected.
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
