import { recordMessageCrash } from '../../database/messages/stranded.js'
import type { Context } from '../context.js'
import { MAX_CRASHES } from '../crashes.js'

/** Counts a crash of a message's job. @returns whether the message was given up because of it */
export async function countMessageCrash({ db, queues }: Context, id: string): Promise<boolean> {
  const end = await recordMessageCrash(db, id, MAX_CRASHES)
  if (end === undefined) return false
  void queues.enqueueMessages(end.requeued)
  void queues.enqueueDeliveries(end.deliveries)
  return true
}
