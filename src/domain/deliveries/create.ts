import { noteReceived } from '../../database/application-lines.js'
import type { Database } from '../../database/connection.js'
import { findEndpointsOfLine, insertDelivery, type NewDelivery } from '../../database/deliveries/creating.js'
import { isOptIn, type Event } from '../../database/events.js'
import { newId } from '../../ids.js'

/**
 * Makes one delivery of an event for each endpoint that its line has now and that gets events of its type, in a
 * transaction.
 *
 * @param heldFor why none of them may go out yet: all are held with this failure
 * @returns those that may go out, to be enqueued after the commit
 */
export async function createDeliveries(
  trx: Database,
  event: Event,
  heldFor?: string,
): Promise<NewDelivery[]> {
  const { id: eventId, userId, lineId, type, fromNumber } = event
  const deliveries: NewDelivery[] = []
  const endpoints = (await findEndpointsOfLine(trx, lineId)).filter(
    ({ optInEvents }) => !isOptIn(type) || optInEvents.includes(type),
  )
  for (const { endpointId, isDisabled, applicationId } of endpoints) {
    const id = newId()
    const isHeld = isDisabled || heldFor !== undefined
    await insertDelivery(trx, {
      ...{ id, userId, lineId, eventId, endpointId, applicationId, isHeld, type, fromNumber },
      ...(heldFor === undefined ? {} : { lastFailure: heldFor }),
    })
    if (!isHeld) deliveries.push({ id, endpointId, generation: 0 })
  }
  const applicationIds = endpoints.flatMap((each) => each.applicationId ?? [])
  if (applicationIds.length > 0) await noteReceived(trx, lineId, applicationIds)
  return deliveries
}
