import { recordMessageCrash } from '../../database/messages/stranded.js'
import type { Context } from '../context.js'
import { MAX_CRASHES } from '../crashes.js'

/** A message was worked on when its job crashed. @returns whether it was given up by that */
export async function countMessageCrash({ db, queues }: Context, id: string): Promise<boolean> {
  const end = await recordMessageCrash(db, id, MAX_CRASHES)
  if (end === undefined) return false
  void queues.enqueueMessages(end.requeued)
  void queues.enqueueDeliveries(end.deliveries)
  return true
}
