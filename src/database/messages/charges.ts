import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/** The cost of a message according to its carrier; `carriers/records.ts` has the same type. */
export interface SaidCharge {
  /** Exact, in whole units of the currency. */
  price?: string
  currency?: string
  segmentCount?: number
}

/** Stores the costs of messages according to carriers (`note_charges`). */
export async function noteCharges(
  db: Database,
  charges: readonly (SaidCharge & { id: string })[],
): Promise<void> {
  await db.raw('select note_charges(?::jsonb)', [toJson(charges)])
}

/**
 * Finds the messages that we sent by the carrier's ids.
 *
 * @returns the first message of an id that the carrier reused. One that lists its charges does not reuse any
 */
export async function findByCarrierIds(
  db: Database,
  carrier: string,
  carrierMessageIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: { carrierMessageId: string; id: string }[] }>(
    `select c.carrier_message_id as "carrierMessageId", c.message_id as id from carrier_message_ids c
     where c.carrier = ? and c.carrier_message_id = any (?) and not c.is_inbound`,
    [carrier, [...carrierMessageIds]],
  )
  return new Map(rows.map(({ carrierMessageId, id }) => [carrierMessageId, id]))
}
