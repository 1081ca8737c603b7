import type { Database } from '../../database/connection.js'
import { findEndpointsOfLine, insertDelivery, type NewDelivery } from '../../database/deliveries/creating.js'
import { insertEvent } from '../../database/events.js'
import type { NotedContact } from '../../database/line-contacts.js'
import type { Line } from '../../database/lines.js'
import { newId } from '../../ids.js'

/**
 * The event `optOut`, for endpoints of the line that asked for it: a number has opted out of the line, or back in.
 *
 * @returns what is to be enqueued
 */
export async function announceOptOut(
  trx: Database,
  line: Line,
  message: { id: string; fromNumber: string },
  { hasOptedOut, hasOptedIn }: NotedContact,
): Promise<NewDelivery[]> {
  if ((!hasOptedOut && !hasOptedIn) || line.status !== 'active') return []
  const endpoints = await findEndpointsOfLine(trx, line.id)
  const optedIn = endpoints.filter(({ optInEvents }) => optInEvents.includes('optOut'))
  if (optedIn.length === 0) return []

  const eventId = newId()
  const { fromNumber } = message
  const content = { userId: line.userId, lineId: line.id, type: 'optOut', fromNumber } as const
  const payload = hasOptedOut ? 'optedOut' : 'optedIn'
  await insertEvent(trx, { ...content, id: eventId, messageId: message.id, payload, toNumber: line.number })
  const deliveries: NewDelivery[] = []
  for (const { endpointId, applicationId, isDisabled } of optedIn) {
    const id = newId()
    await insertDelivery(trx, { ...content, id, eventId, endpointId, applicationId, isHeld: isDisabled })
    if (!isDisabled) deliveries.push({ id, endpointId, generation: 0 })
  }
  return deliveries
}
