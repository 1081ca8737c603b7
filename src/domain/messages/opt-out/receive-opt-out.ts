import type { CarrierOptOut } from '../../../carriers/callbacks.js'
import { transaction } from '../../../database/connection.js'
import { indexable } from '../../../database/text.js'
import type { Context } from '../../context.js'
import { isLineAt } from '../../lines/routes.js'
import { inForce } from '../phone-number.js'
import { noLineOf } from '../receive.js'
import { writeCarrierOptOut } from './carrier-opt-out.js'

/**
 * Records that somebody has told the carrier, and not us, that they want no more messages of a line. This is how people
 * opt out of a line that is a name, which nobody can text.
 *
 * @throws UserError 404 if no line of the account has the number
 */
export async function receiveOptOut(
  context: Context,
  carrierAccount: string,
  optOut: CarrierOptOut,
): Promise<void> {
  const { db, batched, queues, log } = context
  const line = await batched.findLineByNumber(inForce(optOut.toNumber))
  if (line === undefined || !isLineAt(line, carrierAccount)) throw noLineOf(carrierAccount)
  const peer = { id: null, lineId: line.id, toNumber: indexable(inForce(optOut.fromNumber)) }
  const deliveries = await transaction(db, (trx) => writeCarrierOptOut(trx, peer))
  void queues.enqueueDeliveries(deliveries)
  log.info({ lineId: line.id }, 'opt_out.noted')
}
