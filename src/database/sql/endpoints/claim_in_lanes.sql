-- The part of `step_lanes` that claims, under its locks: pending → delivering. Each want gets as many deliveries as it
-- asks for and the endpoint has free places, in the order in which they are due. A delivery becomes held instead if the
-- endpoint is disabled, its line's connection is off, or the endpoint is no longer the application's. It becomes
-- exhausted if the line is no longer connected to the application (the event that tells of that becomes exhausted only if
-- the application is deleted), or its endpoint is deleted. Of an endpoint that a person has paused nothing is claimed, and there
-- is no answer.
--
-- An ordered delivery is parked while an earlier one of its number is not over: it is due again when that one is, or in 30 s.
-- Who ends the earlier one makes it due at once (`settle_deliveries`); the 30 s are for what ends in other ways.
--
-- max_lost: a delivery whose worker was lost so often is a suspect, and not claimed. 50 ms: a timer may be so much early.
create or replace function claim_in_lanes(wants jsonb, lease interval, max_lost integer, max_in_flight integer)
returns table (
  n integer, status text, delivery_id uuid, event_id uuid, endpoint_id uuid, attempt_number integer,
  round_attempt integer, url text, secret_sealed bytea, previous_secret_sealed bytea, user_id uuid, line_id uuid,
  type text, payload text, from_number text, to_number text, claimed_at timestamptz, next_due_ms double precision,
  is_replay boolean
)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  now_at timestamptz := clock_timestamp();
  due_until timestamptz := now_at + interval '50 milliseconds';
begin
  return query
  with wanted as materialized (
    select x.n, x.endpoint_id, x.delivery_id, least(x.places,
      least(e.places, (e.policy ->> 'requestsAtOnce')::integer, max_in_flight) - under_way.count
      - coalesce(sum(x.places) over (partition by x.endpoint_id order by x.n rows between unbounded preceding
        and 1 preceding), 0))::integer as places
    from jsonb_to_recordset(wants) as x(n integer, endpoint_id uuid, places integer, delivery_id uuid)
    join endpoints e on e.id = x.endpoint_id and e.paused_at is null
    cross join lateral (
      select count(*) as count from (
        select from deliveries d
        where d.endpoint_id = x.endpoint_id and d.status = 'delivering' and d.lease_until > now_at
        limit max_in_flight) taken
    ) under_way
  ), due as materialized (
    select w.n, d.* from wanted w cross join lateral (
      select d.id, d.due_at, d.is_ordered, d.endpoint_id, d.line_id, d.from_number, d.created_at from deliveries d
      where w.delivery_id is null and d.endpoint_id = w.endpoint_id and d.status = 'pending'
        and d.lost_count < max_lost and d.due_at <= due_until
      order by d.due_at, d.id limit greatest(w.places, 0)
    ) d
    union all
    select w.n, d.id, d.due_at, d.is_ordered, d.endpoint_id, d.line_id, d.from_number, d.created_at from wanted w
    cross join lateral (select * from deliveries where id = w.delivery_id limit 1) d
    where w.places > 0 and d.status = 'pending' and d.lost_count < max_lost and d.due_at <= due_until
  ), blocked as materialized (
    select due.n, due.id, earlier.due_at from due cross join lateral (
      select p.due_at from deliveries p
      where p.endpoint_id = due.endpoint_id and p.line_id = due.line_id and p.from_number = due.from_number
        and p.is_ordered and p.status in ('pending', 'delivering') and (p.created_at, p.id) < (due.created_at, due.id)
      order by p.created_at, p.id limit 1) earlier
    where due.is_ordered
  ), parked as (
    update deliveries d set due_at = greatest(b.due_at, now_at + interval '30 seconds'),
      last_failure = 'earlier_event_waits'
    from blocked b
    where d.id = any (array(select blocked.id from blocked)) and d.id = b.id and d.status || '' = 'pending'
    returning b.n, d.id, d.event_id, d.endpoint_id
  ), claimed as (
    update deliveries d
    set (status, attempt_count, round_attempt_count, lease_until, last_failure) = (
      select o.status, d.attempt_count + (o.status = 'delivering')::integer,
        d.round_attempt_count + (o.status = 'delivering')::integer,
        case when o.status = 'delivering' then now_at + lease end,
        case when o.status = 'exhausted' then 'disconnected' else d.last_failure end
      from (select case
        when d.application_id is not null and not case when d.type = 'lineDisconnected'
          then exists (select 1 from applications a where a.id = d.application_id and a.deleted_at is null)
          else exists (select 1 from application_lines c where c.application_id = d.application_id
            and c.line_id = d.line_id and gets_events(c.scopes)) end
          then 'exhausted'
        -- It was deleted: no URL can follow. One that is still named only had its URL taken away.
        when e.removed_at is not null
          and not exists (select 1 from developer_connections c where c.endpoint_id = e.id)
          and not exists (select 1 from applications a where a.endpoint_id = e.id) then 'exhausted'
        when e.disabled_at is not null or e.removed_at is not null then 'held'
        when e.line_id is null and e.application_id is null then 'delivering'
        when d.application_id is null and exists (
          select 1 from developer_connections c where c.line_id = d.line_id and c.line_id = e.line_id and c.enabled)
          then 'delivering'
        when d.application_id is not null and exists (
          select 1 from applications a where a.id = d.application_id and a.endpoint_id = e.id) then 'delivering'
        else 'held' end as status) o)
    from due, endpoints e
    where d.id = any (array(select due.id from due except select blocked.id from blocked)) and d.id = due.id
      and d.status || '' = 'pending' and e.id = d.endpoint_id
    returning due.n, d.status, d.id, d.event_id, d.endpoint_id, d.attempt_count, d.round_attempt_count, d.due_at,
      e.url, e.secret_sealed,
      case when e.previous_secret_until > now_at then e.previous_secret_sealed end as previous_secret_sealed,
      d.task_id is not null as is_replay
  ), idle as (
    select w.n, w.endpoint_id, next.due_ms from wanted w left join lateral (
      select ceil(extract(epoch from d.due_at - now_at) * 1000)::double precision as due_ms from deliveries d
      where d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.lost_count < max_lost and d.due_at > due_until
      order by d.due_at, d.id limit 1
    ) next on true
    where w.places > (select count(*) from due where due.n = w.n)
  ), others as (
    select p.n, 'parked' as status, p.id, p.event_id, p.endpoint_id, null::double precision as next_due_ms from parked p
    union all select i.n, 'idle', null, null, i.endpoint_id, i.due_ms from idle i
  )
  select coalesce(c.n, o.n), coalesce(c.status, o.status), coalesce(c.id, o.id), coalesce(c.event_id, o.event_id),
    coalesce(c.endpoint_id, o.endpoint_id), c.attempt_count, c.round_attempt_count, c.url, c.secret_sealed,
    c.previous_secret_sealed, v.user_id, v.line_id, v.type, v.payload, v.from_number, v.to_number,
    case when c.id is not null then clock_timestamp() end, o.next_due_ms, c.is_replay
  -- One list after the other: none of the one is any of the other.
  from claimed c full join others o on false
  -- `limit 1` makes Postgres do one look-up for each, although the statistics of a table that has just filled mislead it.
  left join lateral (select * from events where id = c.event_id limit 1) v on true
  order by c.due_at, c.id;
end $$;
