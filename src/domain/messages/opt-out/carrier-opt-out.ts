import { transaction, type Database } from '../../../database/connection.js'
import type { NewDelivery } from '../../../database/endpoints/deliveries/creating.js'
import { noteOptOut } from '../../../database/lines/line-peers.js'
import { findAnyLine } from '../../../database/lines/lines.js'
import { asError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { announceOptOut } from './announce.js'

/** A message whose recipient has opted out of its line, according to the carrier. */
interface RefusedMessage extends Peer {
  id: string
}

interface Peer {
  lineId: string
  toNumber: string
}

/**
 * Records that a carrier has refused a message because its recipient has opted out of the line, as if they had told
 * us, so that the next message is refused when it is posted. Never throws: if this fails, the carrier will say it
 * again.
 */
export async function noteCarrierOptOut(context: Context, message: RefusedMessage): Promise<void> {
  const { id, lineId } = message
  const { db, log, queues } = context
  try {
    const deliveries = await transaction(db, (trx) => writeCarrierOptOut(trx, message))
    void queues.enqueueDeliveries(deliveries)
    log.info({ messageId: id, lineId }, 'opt_out.noted')
  } catch (error) {
    log.warn({ messageId: id, lineId, err: asError(error) }, 'opt_out.not_noted')
  }
}

/**
 * Does this in the caller's transaction.
 *
 * @param peer.id the message that was refused; null if the carrier has told it by itself
 * @returns the deliveries to enqueue
 */
export async function writeCarrierOptOut(
  trx: Database,
  { id, lineId, toNumber }: Peer & { id: string | null },
): Promise<NewDelivery[]> {
  const line = await findAnyLine(trx, lineId)
  if (line === undefined || !(await noteOptOut(trx, lineId, toNumber))) return []
  const change = { hasOptedOut: true, hasOptedIn: false }
  return announceOptOut(trx, line, { id, fromNumber: toNumber }, change)
}
