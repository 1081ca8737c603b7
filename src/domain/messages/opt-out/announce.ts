import type { Database } from '../../../database/connection.js'
import { announceEvents, type NewDelivery } from '../../../database/endpoints/deliveries/creating.js'
import type { NotedKeyword } from '../../../database/lines/line-peers.js'
import type { Line } from '../../../database/lines/lines.js'
import { newId } from '../../../ids.js'

/**
 * Makes the event `optOut` for endpoints of the line that asked for it: a number has opted out of the line, or back
 * in.
 *
 * @returns the deliveries to enqueue
 */
export async function announceOptOut(
  trx: Database,
  line: Line,
  message: { id: string | null; fromNumber: string },
  { hasOptedOut, hasOptedIn }: Pick<NotedKeyword, 'hasOptedOut' | 'hasOptedIn'>,
): Promise<NewDelivery[]> {
  if (!hasOptedOut && !hasOptedIn) return []
  const event = {
    id: newId(),
    userId: line.userId,
    lineId: line.id,
    messageId: message.id,
    type: 'optOut',
    payload: hasOptedOut ? 'optedOut' : 'optedIn',
    fromNumber: message.fromNumber,
    toNumber: line.number,
  } as const
  return announceEvents(trx, [event])
}
