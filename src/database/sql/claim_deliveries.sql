-- The part of `deliver_next` that claims, under its lock: pending → delivering, those first that are due first. Or → held
-- when the endpoint is disabled, its line's connection is switched off, or it is no longer its application's; or →
-- exhausted when the line is no longer connected to the application (for an event that says just that: when the
-- application is deleted).
--
-- max_lost: one whose worker was lost so often is a suspect, and not claimed. A timer may be 50 ms ahead of its time.
create or replace function claim_deliveries(
  endpoint uuid, only_id uuid, places integer, lease interval, max_lost integer
)
returns table (
  status text, delivery_id uuid, event_id uuid, endpoint_id uuid, attempt_number integer, round_attempt integer,
  url text, secret_sealed bytea, previous_secret_sealed bytea, user_id uuid, line_id uuid, type text, payload text,
  from_number text, to_number text, claimed_at timestamptz
)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  ids uuid[];
begin
  if only_id is null then
    select array_agg(due.id) into ids from (
      select d.id from deliveries d
      where d.endpoint_id = endpoint and d.status = 'pending' and d.lost_count < max_lost
        and d.due_at <= clock_timestamp() + interval '50 milliseconds'
      order by d.due_at, d.id limit places for no key update skip locked
    ) due;
  else
    select array_agg(d.id) into ids from deliveries d
    where d.id = only_id and d.status = 'pending' and d.lost_count < max_lost
      and d.due_at <= clock_timestamp() + interval '50 milliseconds';
  end if;
  if ids is null then return; end if;

  return query
  with claimed as (
    update deliveries d
    set (status, attempt_count, round_attempt_count, lease_until, last_failure) = (
      select o.status, d.attempt_count + (o.status = 'delivering')::integer,
        d.round_attempt_count + (o.status = 'delivering')::integer,
        case when o.status = 'delivering' then clock_timestamp() + lease end,
        case when o.status = 'exhausted' then 'disconnected' else d.last_failure end
      from (select case
        when d.application_id is not null and not case when d.type = 'lineDisconnected'
          then exists (select 1 from applications a where a.id = d.application_id and a.deleted_at is null)
          else exists (select 1 from application_lines c where c.application_id = d.application_id
            and c.line_id = d.line_id and 'messages:connect' = any (c.scopes)) end
          then 'exhausted'
        when e.disabled_at is not null or e.removed_at is not null then 'held'
        when d.application_id is null and exists (
          select 1 from developer_connections c where c.endpoint_id = e.id and c.enabled) then 'delivering'
        when d.application_id is not null and exists (
          select 1 from applications a where a.id = d.application_id and a.endpoint_id = e.id) then 'delivering'
        else 'held' end as status) o)
    from endpoints e
    where d.id = any (ids) and d.status || '' = 'pending' and e.id = d.endpoint_id
    returning d.status, d.id, d.event_id, d.endpoint_id, d.attempt_count, d.round_attempt_count, d.due_at, e.url,
      e.secret_sealed, case when e.previous_secret_until > now() then e.previous_secret_sealed end as previous_secret_sealed
  )
  select c.status, c.id, c.event_id, c.endpoint_id, c.attempt_count, c.round_attempt_count, c.url, c.secret_sealed,
    c.previous_secret_sealed, v.user_id, v.line_id, v.type, v.payload, v.from_number, v.to_number, clock_timestamp()
  -- One look-up for each, whatever the planner believes of a table that has just filled.
  from claimed c cross join lateral (select * from events where id = c.event_id limit 1) v
  order by c.due_at, c.id;
end $$;
