-- Creates one delivery of each event for every endpoint that gets events of its type. This is the only place that
-- creates deliveries. events: [{event_id, delivery_id, user_id, line_id, event_type, from, opt_in, endpoint_id}];
-- `opt_in`: only endpoints that asked for the type get it; otherwise all except those that declined it.
-- `endpoint_id`: only this endpoint gets it; if omitted, all that its line has now or, without a line, those of its
-- user's account. The ids of the deliveries are derived from `delivery_id` and keep its order.
--
-- held_for: the reason why none may be sent yet; all are then held with this failure, those of disabled lines too, which
-- otherwise get none. Returns the deliveries that may be sent.
--
-- The row of an application's line notes when it last received something: at most once a minute, which saves writes, and
-- without waiting for another event of the line.
--
-- If the clock of the process that makes the ids is far behind, they may be below the bound of what may still move, where no
-- lane would find them. Then the bound is lowered to them.
--
-- It runs in steps, as `claim_in_lanes` does: most events belong to a line and go to its own endpoints.
create or replace function create_deliveries(events jsonb, held_for text)
returns table (event_id uuid, id uuid, endpoint_id uuid)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  lines uuid[];
  has_others boolean;
  are_old boolean;
  -- The endpoints that an event reaches in other ways than through its line.
  other_events uuid[] := '{}';
  other_endpoints uuid[] := '{}';
  other_applications uuid[] := '{}';
  made_events uuid[];
  made uuid[];
  made_endpoints uuid[];
  noted_applications uuid[];
  noted_lines uuid[];
begin
  select array_agg(distinct x.line_id) filter (where x.endpoint_id is null),
    bool_or(x.endpoint_id is not null or x.line_id is null), bool_or(x.delivery_id < lowest_id_at(now() - interval '1 day'))
  into lines, has_others, are_old
  from jsonb_to_recordset(events) as x(delivery_id uuid, line_id uuid, endpoint_id uuid);

  if has_others or held_for is not null then
    select array_agg(o.event_id), array_agg(o.endpoint_id), array_agg(o.application_id)
    into other_events, other_endpoints, other_applications
    from (
      select x.event_id, e.id as endpoint_id, e.application_id
      from jsonb_to_recordset(events) as x(event_id uuid, endpoint_id uuid) join endpoints e on e.id = x.endpoint_id
      where e.removed_at is null
      union all
      select x.event_id, e.id, null
      from jsonb_to_recordset(events) as x(event_id uuid, user_id uuid, line_id uuid) join endpoints e on e.user_id = x.user_id
      where x.line_id is null and e.line_id is null and e.application_id is null and e.removed_at is null
      union all
      select x.event_id, e.id, r.application_id
      from jsonb_to_recordset(events) as x(event_id uuid, line_id uuid, endpoint_id uuid)
      join lines l on l.id = x.line_id and l.status <> 'active'
      join receivers_of_lines(lines) r on r.line_id = x.line_id
      join endpoints e on e.id = r.endpoint_id
      where held_for is not null and x.endpoint_id is null and e.removed_at is null
    ) o;
  end if;

  with asked as materialized (
    select * from jsonb_to_recordset(events) as x(
      event_id uuid, delivery_id uuid, user_id uuid, line_id uuid, event_type text, "from" text, opt_in boolean, endpoint_id uuid)
  ), given as (
    select a.event_id, a.user_id, a.line_id, a.event_type, a."from", r.endpoint_id, r.application_id,
      e.disabled_at is not null or held_for is not null as is_held,
      coalesce((e.policy ->> 'ordered')::boolean, false) as is_ordered,
      nth_id(a.delivery_id, row_number() over (
        partition by a.event_id order by r.application_id nulls first, e.line_id nulls first, e.id)) as id
    from (
      select a.event_id, o.endpoint_id, o.application_id
      from endpoints_of_lines(lines) o join asked a on a.line_id = o.line_id and a.endpoint_id is null
      union all select * from unnest(other_events, other_endpoints, other_applications)
    ) r join asked a on a.event_id = r.event_id join endpoints e on e.id = r.endpoint_id
    where case when a.opt_in then a.event_type = any (e.opt_in_events)
      else coalesce(e.policy -> 'declinedEvents', '[]') ? a.event_type is not true end
  ), made as (
    insert into deliveries (id, user_id, line_id, event_id, endpoint_id, application_id, status, last_failure, type,
      from_number, is_ordered)
    select g.id, g.user_id, g.line_id, g.event_id, g.endpoint_id, g.application_id,
      case when g.is_held then 'held' else 'pending' end, held_for, g.event_type, g."from", g.is_ordered
    from given g order by g.id
    returning id, event_id, endpoint_id, application_id, line_id, status
  )
  select array_agg(m.event_id) filter (where m.status = 'pending'), array_agg(m.id) filter (where m.status = 'pending'),
    array_agg(m.endpoint_id) filter (where m.status = 'pending'),
    array_agg(m.application_id) filter (where m.application_id is not null),
    array_agg(m.line_id) filter (where m.application_id is not null)
  into made_events, made, made_endpoints, noted_applications, noted_lines from made m;

  if are_old then
    perform lower_live_bound('deliveries', m.id) from unnest(made) as m(id);
  end if;
  if noted_applications is not null then
    update application_lines a set last_received_at = now()
    where (a.application_id, a.line_id) in (
      select c.application_id, c.line_id from application_lines c
      where (c.application_id, c.line_id) in (select * from unnest(noted_applications, noted_lines))
        and (c.last_received_at is null or c.last_received_at < now() - interval '1 minute')
      for update of c skip locked);
  end if;
  return query select m.event_id, m.id, m.endpoint_id
    from unnest(made_events, made, made_endpoints) as m(event_id, id, endpoint_id) order by m.id;
end $$;
