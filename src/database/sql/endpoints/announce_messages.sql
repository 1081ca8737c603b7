-- Makes events for the endpoints that opted in to `messageStatus`, of messages whose state has changed. It runs in the
-- transaction that changed the state, so no crash can come between a state and its event. A state that is the same as
-- before makes no event. Where nobody opted in, this costs only a look at the endpoints of these lines.
--
-- changed: [{id, user_id, line_id, from_number, to_number, status, error, carrier_code, client_ref, status_before}].
-- The answer:
-- [{id, endpointId, generation}] of the deliveries that may go out.
create or replace function announce_messages(changed jsonb) returns jsonb
language plpgsql volatile as $$
declare
  announced jsonb;
begin
  with asked as materialized (
    select x.* from jsonb_to_recordset(changed) as x(id uuid, user_id uuid, line_id uuid, from_number text,
      to_number text, status text, error text, carrier_code text, client_ref text, status_before text)
  ), opted_in as materialized (
    select o.* from endpoints_of_lines(array(select distinct a.line_id from asked a)) o
    where 'messageStatus' = any (o.opt_in_events)
  ), told as materialized (
    select new_id() as event_id, a.* from asked a
    where a.status <> a.status_before and a.status in ('sent', 'delivered', 'failed', 'unknown')
      and a.line_id in (select o.line_id from opted_in o)
  ), tellings as materialized (
    select new_id() as delivery_id, t.*, o.endpoint_id, o.application_id, o.is_disabled
    from told t join opted_in o on o.line_id = t.line_id
  ), new_events as (
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select t.event_id, t.user_id, t.line_id, t.id, 'messageStatus', row_to_json(p)::text, t.to_number, t.from_number
    from told t cross join lateral (
      select t.id as "messageId", t.status, t.error, t.carrier_code as "carrierCode",
        t.client_ref as "clientRef") p
  ), new_deliveries as (
    insert into deliveries (id, user_id, line_id, event_id, endpoint_id, application_id, status, type, from_number,
      is_ordered)
    select t.delivery_id, t.user_id, t.line_id, t.event_id, t.endpoint_id, t.application_id,
      case when t.is_disabled then 'held' else 'pending' end, 'messageStatus', t.to_number,
      coalesce((select (e.policy ->> 'ordered')::boolean from endpoints e where e.id = t.endpoint_id), false)
    from tellings t
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('id', t.delivery_id, 'endpointId', t.endpoint_id, 'generation', 0)), '[]') into announced
  from tellings t where not t.is_disabled;
  return announced;
end $$;
