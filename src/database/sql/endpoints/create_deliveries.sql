-- Makes one delivery of each event for every endpoint that it goes to and that gets events of its type. It is the only place
-- that does. events: [{event_id, delivery_id, user_id, line_id, event_type, from, opt_in, endpoint_id}]; `opt_in`: only
-- endpoints that asked for that type get it; others go to all but those that declined it. `endpoint_id`: it goes to this
-- endpoint; left out: to all that its line has now, or without a line to those of its user's account. The deliveries' ids are made of `delivery_id` and keep its order.
--
-- held_for: why none may go out yet; all are then held with this failure. The answer is the deliveries that may go out.
--
-- The row of an application's line notes when it last received something: at most once a minute, which saves writes, and
-- without waiting for another event of the line.
create or replace function create_deliveries(events jsonb, held_for text)
returns table (event_id uuid, id uuid, endpoint_id uuid)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with asked as materialized (
    select * from jsonb_to_recordset(events) as x(
      event_id uuid, delivery_id uuid, user_id uuid, line_id uuid, event_type text, "from" text, opt_in boolean, endpoint_id uuid)
  ), reached as materialized (
    select a.event_id, o.endpoint_id, o.application_id
    from endpoints_of_lines(array(select distinct a.line_id from asked a where a.endpoint_id is null)) o
    join asked a on a.line_id = o.line_id and a.endpoint_id is null
    union all
    select a.event_id, e.id, e.application_id from asked a join endpoints e on e.id = a.endpoint_id
    where e.removed_at is null
    union all
    select a.event_id, e.id, null from asked a join endpoints e on e.user_id = a.user_id
    where a.line_id is null and e.line_id is null and e.application_id is null and e.removed_at is null
  ), given as materialized (
    select a.event_id, a.user_id, a.line_id, a.event_type, a."from", r.endpoint_id, r.application_id,
      e.disabled_at is not null or held_for is not null as is_held,
      coalesce((e.policy ->> 'ordered')::boolean, false) as is_ordered,
      nth_id(a.delivery_id, row_number() over (
        partition by a.event_id order by r.application_id nulls first, e.line_id nulls first, e.id)) as id
    from asked a join reached r on r.event_id = a.event_id join endpoints e on e.id = r.endpoint_id
    where case when a.opt_in then a.event_type = any (e.opt_in_events)
      else coalesce(e.policy -> 'declinedEvents', '[]') ? a.event_type is not true end
  ), made as (
    insert into deliveries (id, user_id, line_id, event_id, endpoint_id, application_id, status, last_failure, type,
      from_number, is_ordered)
    select g.id, g.user_id, g.line_id, g.event_id, g.endpoint_id, g.application_id,
      case when g.is_held then 'held' else 'pending' end, held_for, g.event_type, g."from", g.is_ordered
    from given g order by g.id
  ), noted as (
    update application_lines a set last_received_at = now()
    where (a.application_id, a.line_id) in (
      select c.application_id, c.line_id from application_lines c
      where (c.application_id, c.line_id) in (
          select g.application_id, g.line_id from given g where g.application_id is not null)
        and (c.last_received_at is null or c.last_received_at < now() - interval '1 minute')
      for update of c skip locked)
  )
  select g.event_id, g.id, g.endpoint_id from given g where not g.is_held order by g.id;
end $$;
