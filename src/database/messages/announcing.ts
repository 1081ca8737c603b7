import type { Database } from '../connection.js'
import type { NewDelivery } from '../endpoints/deliveries/creating.js'
import type { Conversation } from './requeueing.js'

/** An outbound message after a statement that may have changed its state. */
export interface ChangedMessage extends Conversation {
  id: string
  status: string
  statusBefore: string
}

export interface Changes {
  changed: ChangedMessage[]
  /** The deliveries of the events about it; the caller enqueues them after the commit. */
  deliveries: NewDelivery[]
}

/** The columns that the CTE `changed` returns of each message `m`, besides `status_before`. */
export const CHANGED =
  'm.id, m.user_id, m.line_id, m.from_number, m.to_number, m.status, m.error, m.carrier_code, m.client_ref, m.price::text as price, m.currency'

/**
 * Changes states of outbound messages, and notifies the endpoints that opted in to `messageStatus` in the same
 * statement (`announce_messages`).
 *
 * @param changing CTEs; the last is `changed` and returns CHANGED and `status_before`
 * @param more additional columns of the answer
 */
export async function changeMessages<More extends object>(
  db: Database,
  changing: string,
  bindings: readonly (string | number | string[])[] | Record<string, string | number>,
  more: readonly string[] = [],
): Promise<Changes & More> {
  const { rows } = await db.raw<{ rows: [Changes & More] }>(
    `with ${changing}
     select
       (select coalesce(json_agg(json_build_object('id', id, 'lineId', line_id, 'toNumber', to_number,
          'status', status, 'statusBefore', status_before)), '[]') from changed) as changed,
       announce_messages((select coalesce(jsonb_agg(to_jsonb(c)), '[]') from changed c)) as deliveries${more.map((column) => `, ${column}`).join('')}`,
    bindings,
  )
  return rows[0]
}
