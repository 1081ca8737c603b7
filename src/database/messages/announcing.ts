import type { Database } from '../connection.js'
import type { NewDelivery } from '../deliveries/creating.js'
import type { Conversation } from './turns.js'

/** An outbound message after a statement that may have changed its state. */
export interface ChangedMessage extends Conversation {
  id: string
  status: string
  statusBefore: string
}

export interface Changes {
  changed: ChangedMessage[]
  /** Of the events that tell of it; to be enqueued when it is committed. */
  deliveries: NewDelivery[]
}

/** What the CTE `changed` returns of each message `m`, beside `status_before`. */
export const CHANGED =
  'm.id, m.user_id, m.line_id, m.from_number, m.to_number, m.status, m.error, m.carrier_code'

/**
 * Changes states of outbound messages, and tells the endpoints that opted in to `messageStatus` in the same
 * statement: no crash comes between a state and its event, and a state that was there before makes none. Where
 * nobody opted in, all that it costs is to look at the endpoints of these lines.
 *
 * @param changing CTEs; the last is `changed` and returns CHANGED and `status_before`
 * @param more further columns of the answer
 */
export async function changeMessages<More extends object>(
  db: Database,
  changing: string,
  bindings: readonly (string | number | string[])[],
  more: readonly string[] = [],
): Promise<Changes & More> {
  const { rows } = await db.raw<{ rows: [Changes & More] }>(
    `with ${changing}, opted_in as materialized (
       select o.* from endpoints_of_lines(array(select distinct line_id from changed)) o
       where 'messageStatus' = any (o.opt_in_events)
     ), told as materialized (
       select new_id() as event_id, c.* from changed c
       where c.status <> c.status_before and c.status in ('sent', 'delivered', 'failed', 'unknown')
         and c.line_id in (select line_id from opted_in)
     ), tellings as materialized (
       select new_id() as delivery_id, t.*, o.endpoint_id, o.application_id, o.is_disabled
       from told t join opted_in o on o.line_id = t.line_id
     ), new_events as (
       insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
       select t.event_id, t.user_id, t.line_id, t.id, 'messageStatus', row_to_json(p)::text, t.to_number, t.from_number
       from told t cross join lateral (
         select t.id as "messageId", t.status, t.error, t.carrier_code as "carrierCode") p
     ), new_deliveries as (
       insert into deliveries (id, user_id, line_id, event_id, endpoint_id, application_id, status, type, from_number)
       select delivery_id, user_id, line_id, event_id, endpoint_id, application_id,
         case when is_disabled then 'held' else 'pending' end, 'messageStatus', to_number
       from tellings
     )
     select
       (select coalesce(json_agg(json_build_object('id', id, 'lineId', line_id, 'toNumber', to_number,
          'status', status, 'statusBefore', status_before)), '[]') from changed) as changed,
       (select coalesce(json_agg(json_build_object('id', delivery_id, 'endpointId', endpoint_id, 'generation', 0)), '[]')
        from tellings where not is_disabled) as deliveries${more.map((column) => `, ${column}`).join('')}`,
    [...bindings],
  )
  return rows[0]
}
