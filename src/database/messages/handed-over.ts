import type { Database } from '../connection.js'

/** A message that counts in the sending windows of its line now, as `claim_messages` counts it. */
export interface HandedOver {
  id: string
  toNumber: string
  /** How long ago it was handed over; 0 while it is on its way. */
  agoMs: number
}

export async function listHandedOver(db: Database, lineId: string): Promise<HandedOver[]> {
  const { rows } = await db.raw<{ rows: HandedOver[] }>(
    `select id, to_number as "toNumber",
       greatest(0, extract(epoch from clock_timestamp() - handed_over_at) * 1000)::integer as "agoMs"
     from messages
     where line_id = ?::uuid and handed_over_at > clock_timestamp() - window_length()
     union all
     select id, to_number, 0 from messages where line_id = ?::uuid and status = 'sending'`,
    [lineId, lineId],
  )
  return rows
}
