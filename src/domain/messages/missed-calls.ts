import type { MissedCall } from '../../carriers/callbacks.js'
import { transaction } from '../../database/connection.js'
import { announceEvents } from '../../database/endpoints/deliveries/creating.js'
import { lockLines } from '../../database/lines/lines.js'
import { isCallSettled } from '../../database/messages/missed-calls.js'
import { indexable } from '../../database/text.js'
import { lowestIdAt, newId } from '../../ids.js'
import type { Context } from '../context.js'
import { isLineAt } from '../lines/routes.js'
import { inForce } from './phone-number.js'
import { noLineOf } from './receive.js'

/** A carrier that repeats a report does so within seconds. */
const REPEATED_WITHIN_MS = 3_600_000

/**
 * Makes the event `missedCall` for endpoints of the line that asked for it. A repeat has the same caller and the same
 * time, and makes none.
 *
 * @throws UserError 404 if no line of the account has the number
 */
export async function receiveMissedCall(
  context: Context,
  carrierAccount: string,
  { calledAt, ...call }: MissedCall,
): Promise<void> {
  const { db, batched, queues, log } = context
  const [fromNumber, toNumber] = [indexable(inForce(call.fromNumber)), inForce(call.toNumber)]
  const line = await batched.findLineByNumber(toNumber)
  if (line === undefined || !isLineAt(line, carrierAccount)) throw noLineOf(carrierAccount)
  const of = { userId: line.userId, lineId: line.id, fromNumber }
  const payload = calledAt.toISOString()
  const deliveries = await transaction(db, async (trx) => {
    await lockLines(trx, [toNumber])
    const sinceId = lowestIdAt(Date.now() - REPEATED_WITHIN_MS)
    if (await isCallSettled(trx, { ...of, calledAt: payload }, sinceId)) return []
    return announceEvents(trx, [
      { id: newId(), ...of, toNumber, messageId: null, type: 'missedCall', payload },
    ])
  })
  void queues.enqueueDeliveries(deliveries)
  log.info({ lineId: line.id, deliveryCount: deliveries.length }, 'call.missed')
}
