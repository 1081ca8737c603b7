import { transaction, type Database } from '../../database/connection.js'
import { createDeliveries, type NewDelivery } from '../../database/endpoints/deliveries/creating.js'
import {
  hasDeliveries,
  holdDeliveriesOfEvent,
  releaseDeliveriesOfEvent,
} from '../../database/endpoints/deliveries/waiting-for-media.js'
import { findEventToDeliver } from '../../database/endpoints/events.js'
import { markFailed, markStored, type ClaimedMedia, type StoredFile } from '../../database/media/fetching.js'
import { renewMessageJobs, type Requeued } from '../../database/messages/requeueing.js'
import type { MediaReason } from '../../states.js'
import type { Context } from '../context.js'

/**
 * Writes down how a copy ended, and lets what waited for it go on, in one transaction: a message of a line gets its job;
 * a received message's event goes out, or is held with the reason if there is no copy. Nothing happens if the attempt's
 * lease was over.
 */
export function settleStored(context: Context, media: ClaimedMedia, file: StoredFile): Promise<void> {
  return settle(context, media, (trx) => markStored(trx, media, file))
}

export function settleFailed(context: Context, media: ClaimedMedia, failure: MediaReason): Promise<void> {
  return settle(context, media, (trx) => markFailed(trx, media, failure), failure)
}

async function settle(
  { db, queues }: Context,
  media: ClaimedMedia,
  mark: (trx: Database) => Promise<boolean>,
  failure?: MediaReason,
): Promise<void> {
  const next = await transaction(db, async (trx) => {
    if (!(await mark(trx))) return { messages: [], deliveries: [] }
    const messages: Requeued[] =
      media.purpose === 'outbound' ? await renewMessageJobs(trx, [media.messageId]) : []
    const deliveries = media.purpose === 'outbound' ? [] : await deliverEvent(trx, media, failure)
    return { messages, deliveries }
  })
  void queues.enqueueMessages(next.messages)
  void queues.enqueueDeliveries(next.deliveries)
}

/** Goes to the endpoints that there are now; if a person had it copied again, to the endpoints it was held for. */
async function deliverEvent(
  trx: Database,
  { messageId }: ClaimedMedia,
  failure: MediaReason | undefined,
): Promise<NewDelivery[]> {
  const event = await findEventToDeliver(trx, messageId)
  if (event === undefined) return []
  if (!(await hasDeliveries(trx, event.id))) return createDeliveries(trx, event, failure)
  if (failure === undefined) return releaseDeliveriesOfEvent(trx, event.id)
  await holdDeliveriesOfEvent(trx, event.id, failure)
  return []
}
