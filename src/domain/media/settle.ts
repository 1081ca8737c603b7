import { transaction, type Database } from '../../database/connection.js'
import { createDeliveries, type NewDelivery } from '../../database/endpoints/deliveries/creating.js'
import {
  hasDeliveries,
  holdDeliveriesOfEvent,
  releaseDeliveriesOfEvent,
} from '../../database/endpoints/deliveries/waiting-for-media.js'
import { findEvent, type Event } from '../../database/endpoints/events.js'
import { isLineDisabled } from '../../database/lines/lines.js'
import {
  listMediaOf,
  lockMediaOf,
  markFailed,
  markStored,
  putMediaOff,
  type ClaimedMedia,
  type StoredFile,
} from '../../database/media/fetching.js'
import { renewMessageJobs, type Requeued } from '../../database/messages/requeueing.js'
import type { MediaReason } from '../../states.js'
import type { Context } from '../context.js'

/**
 * Records how a copy ended, and lets whatever waited for it continue, in one transaction: a message of a line gets its
 * job; a received message's event goes out, or is held with the reason if there is no copy. Nothing happens if the
 * attempt's lease had expired.
 */
export function settleStored(context: Context, media: ClaimedMedia, file: StoredFile): Promise<void> {
  return settle(context, media, (trx) => markStored(trx, media, file))
}

export function settleFailed(context: Context, media: ClaimedMedia, failure: MediaReason): Promise<void> {
  return settle(context, media, (trx) => markFailed(trx, media, failure))
}

/** Schedules the next attempt, as `putMediaOff` does. The events behind it do not wait for that attempt. */
export async function putOff(
  { db, queues }: Context,
  media: ClaimedMedia,
  failure: MediaReason,
  wait: { ms: number; isCounted: boolean },
): Promise<void> {
  const deliveries = await transaction(db, async (trx) => {
    await lockMediaOf(trx, media.messageId)
    await putMediaOff(trx, media, failure, wait)
    return media.purpose === 'outbound' ? [] : deliverEvents(trx, media.messageId)
  })
  void queues.enqueueDeliveries(deliveries)
}

async function settle(
  { db, queues }: Context,
  media: ClaimedMedia,
  mark: (trx: Database) => Promise<boolean>,
): Promise<void> {
  const next = await transaction(db, async (trx) => {
    await lockMediaOf(trx, media.messageId)
    if (!(await mark(trx))) return { requeued: [], deliveries: [] }
    const requeued: Requeued[] =
      media.purpose === 'outbound' ? await renewMessageJobs(trx, [media.messageId]) : []
    const deliveries = media.purpose === 'outbound' ? [] : await deliverEvents(trx, media.messageId)
    return { requeued, deliveries }
  })
  void queues.enqueueNext(next)
}

/**
 * The events of a message's media go out in the order of the media: one waits until the first attempt for each before
 * it is over. It does not wait for further attempts, which may come days later.
 *
 * They go to the endpoints that exist now, or, if a person had the media copied again, to those they were held for.
 * While the line is disabled, they are held until it is enabled.
 */
async function deliverEvents(trx: Database, messageId: string): Promise<NewDelivery[]> {
  const deliveries: NewDelivery[] = []
  for (const { eventId, status, failure } of await listMediaOf(trx, messageId)) {
    const isOver = status === 'stored' || status === 'failed'
    if (!isOver && failure === null) break
    const event = isOver && eventId !== null ? await findEvent(trx, eventId) : undefined
    if (event !== undefined) deliveries.push(...(await deliverEvent(trx, event, failure ?? undefined)))
  }
  return deliveries
}

async function deliverEvent(
  trx: Database,
  event: Event,
  failure: MediaReason | undefined,
): Promise<NewDelivery[]> {
  if (!(await hasDeliveries(trx, event.id))) {
    const isDisabled = event.lineId !== null && (await isLineDisabled(trx, event.lineId))
    return createDeliveries(trx, event, failure ?? (isDisabled ? 'line_disabled' : undefined))
  }
  if (failure === undefined) return releaseDeliveriesOfEvent(trx, event.id)
  await holdDeliveriesOfEvent(trx, event.id, failure)
  return []
}
