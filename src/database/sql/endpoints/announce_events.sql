-- Creates events about a change, with their deliveries: those of a line for endpoints that asked for the type, those
-- without a line for the endpoints of a user's account. It runs in the transaction of the change, so no crash can
-- separate a change from its event. If nobody gets an event, it is not created, and this only reads the endpoints.
--
-- events: [{event_id, user_id, line_id, message_id, type, payload, from, to, endpoint_id}]; `endpoint_id` is as in
-- `create_deliveries`. Returns [{id, endpointId, generation}] of the deliveries that may be sent now.
create or replace function announce_events(events jsonb) returns jsonb
language plpgsql volatile as $$
declare
  told jsonb;
begin
  with asked as materialized (
    select x.* from jsonb_to_recordset(events) as x(event_id uuid, user_id uuid, line_id uuid, message_id uuid, type text,
      payload text, "from" text, "to" text, endpoint_id uuid)
  ), opted_in as materialized (
    select o.line_id, o.opt_in_events
    from endpoints_of_lines(array(select distinct a.line_id from asked a where a.endpoint_id is null)) o
    where cardinality(o.opt_in_events) > 0
  ), wanted as materialized (
    select a.* from asked a where case
      when a.line_id is null then exists (select from endpoints e
        where e.user_id = a.user_id and e.line_id is null and e.application_id is null and e.removed_at is null)
      when a.endpoint_id is null then exists (select from opted_in o where o.line_id = a.line_id and a.type = any (o.opt_in_events))
      else exists (select from endpoints e where e.id = a.endpoint_id and e.removed_at is null
        and a.type = any (e.opt_in_events)) end
  ), new_events as (
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select w.event_id, w.user_id, w.line_id, w.message_id, w.type, w.payload, w."from", w."to" from wanted w
  )
  select jsonb_agg(jsonb_build_object('event_id', w.event_id, 'delivery_id', new_id(), 'user_id', w.user_id,
    'line_id', w.line_id, 'event_type', w.type, 'from', w."from", 'opt_in', w.line_id is not null, 'endpoint_id', w.endpoint_id))
  into told from wanted w;
  if told is null then
    return '[]';
  end if;
  return (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'generation', 0)), '[]')
    from create_deliveries(told, null) d);
end $$;
