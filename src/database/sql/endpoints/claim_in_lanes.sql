-- The part of `step_lanes` that claims, under its locks: pending → delivering. Each want gets as many deliveries as
-- it asks for and as the endpoint has free places for, in the order in which they are due. A delivery becomes held
-- instead if the endpoint is disabled, its line is (until the line is enabled: `releaseDeliveriesOfLine`), its line's
-- connection is off, or the endpoint is no longer the application's.
-- It becomes exhausted if the line is no longer connected to the application (the event that tells of that becomes
-- exhausted only if the application is deleted), or its endpoint is deleted. For an endpoint that a person has
-- paused, nothing is claimed or returned.
--
-- While first attempts are due, at most a fifth of the places go to retries (at random if there are fewer than five), so
-- that what failed during an outage does not keep new events waiting when the endpoint is back. Places that first
-- attempts leave free go to retries.
--
-- An ordered delivery is parked while an earlier one of its number is not over: it is due again when that one is, or
-- in 30 s. When the earlier one ends, it becomes due immediately (`settle_deliveries`); the 30 s cover deliveries
-- that end in other ways.
--
-- It runs in steps, because a statement costs as much as its plan, whatever it does. What few deliveries need (an
-- order, what an application may have) is looked up only for them, and with ids that are known before a statement
-- begins, Postgres opens only their months.
--
-- max_lost: a delivery whose worker was lost this often is a suspect, and is not claimed. 50 ms: a timer may be this
-- early.
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
  first_live uuid := live_from('deliveries');
  next record;
  lane integer := -1;
  room integer;
  -- What may be sent now: the want, the delivery and its event.
  due_of integer[] := '{}';
  due uuid[] := '{}';
  due_events uuid[] := '{}';
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_due uuid;
  last_due uuid;
  first_event uuid;
  last_event uuid;
  ordered uuid[] := '{}';
  blocked uuid[] := '{}';
  blocked_until timestamptz[];
begin
  for next in
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
          where d.id >= first_live and d.endpoint_id = x.endpoint_id and d.status = 'delivering' and d.lease_until > now_at
          limit max_in_flight) taken
      ) under_way
    )
    select w.n, w.endpoint_id, w.delivery_id, w.places, d.id, d.event_id, d.is_ordered, d.due_at
    from wanted w cross join lateral (
      (select d.id, d.event_id, d.is_ordered, d.due_at, 0 as nth_retry from deliveries d
        where w.delivery_id is null and d.id >= first_live and d.endpoint_id = w.endpoint_id and least(d.round_attempt_count, 1) = 0
          and d.status = 'pending' and d.lost_count < max_lost
        order by d.due_at, d.id limit w.places + 1)
      union all
      (select d.id, d.event_id, d.is_ordered, d.due_at, row_number() over (order by d.due_at, d.id) from deliveries d
        where w.delivery_id is null and d.id >= first_live and d.endpoint_id = w.endpoint_id and least(d.round_attempt_count, 1) = 1
          and d.status = 'pending' and d.lost_count < max_lost
        order by d.due_at, d.id limit w.places + 1)
      -- The end of a lane, after everything that waits in it.
      union all select null, null, null, 'infinity', 0
    ) d
    where w.places > 0
    order by w.n, d.due_at > due_until, d.due_at <= due_until and d.nth_retry > w.places / 5.0 + random(), d.due_at, d.id
  loop
    if next.n <> lane then
      lane := next.n; room := next.places;
    end if;
    if next.delivery_id is not null then
      select d.id, d.event_id, d.is_ordered, now_at into next.id, next.event_id, next.is_ordered, next.due_at from deliveries d
      where d.id = next.delivery_id and d.status || '' = 'pending' and d.lost_count < max_lost and d.due_at <= due_until;
      continue when next.id is null;
    end if;
    continue when room = 0;
    if next.due_at <= due_until then
      due_of := due_of || next.n; due := due || next.id; due_events := due_events || next.event_id;
      first_due := least(first_due, next.id); last_due := greatest(last_due, next.id);
      first_event := least(first_event, next.event_id); last_event := greatest(last_event, next.event_id);
      if next.is_ordered then ordered := ordered || next.id; end if;
      room := room - 1;
    else
      n := next.n; status := 'idle'; endpoint_id := next.endpoint_id;
      next_due_ms := ceil(extract(epoch from nullif(next.due_at, 'infinity') - now_at) * 1000);
      room := 0;
      return next;
    end if;
  end loop;
  if cardinality(due) = 0 then
    return;
  end if;

  if cardinality(ordered) > 0 then
    select coalesce(array_agg(d.id), '{}'), array_agg(earlier.due_at) into blocked, blocked_until
    from deliveries d cross join lateral (
      select p.due_at from deliveries p
      where p.id >= first_live and p.endpoint_id = d.endpoint_id and p.line_id = d.line_id and p.from_number = d.from_number
        and p.is_ordered and p.status in ('pending', 'delivering') and (p.created_at, p.id) < (d.created_at, d.id)
      order by p.created_at, p.id limit 1) earlier
    where d.id = any (ordered) and d.id between first_due and last_due;
  end if;

  return query
  with claimed as (
    update deliveries d
    set (status, attempt_count, round_attempt_count, lease_until, last_failure) = (
      select case when o.status = 'line_disabled' then 'held' else o.status end,
        d.attempt_count + (o.status = 'delivering')::integer,
        d.round_attempt_count + (o.status = 'delivering')::integer,
        case when o.status = 'delivering' then now_at + lease end,
        case o.status when 'exhausted' then 'disconnected' when 'line_disabled' then o.status else d.last_failure end
      from (select case
        when d.application_id is not null and not may_have_delivery(d.application_id, d.line_id, d.type) then 'exhausted'
        -- The endpoint was deleted and can get no URL again. One that still has a name only had its URL removed.
        when e.removed_at is not null and not is_endpoint_named(e.id) then 'exhausted'
        when e.disabled_at is not null or e.removed_at is not null then 'held'
        when d.type <> 'lineDisconnected' and (
          select l.status from lines l where l.id = d.line_id limit 1) = 'disabled' and stays_disabled(d.line_id)
          then 'line_disabled'
        when e.line_id is null and e.application_id is null then 'delivering'
        when d.application_id is null then case when (
          select c.enabled from developer_connections c where c.line_id = d.line_id and c.line_id = e.line_id limit 1
        ) then 'delivering' else 'held' end
        when is_endpoint_named(e.id, d.application_id) then 'delivering'
        else 'held' end as status offset 0) o)
    from endpoints e
    where d.id = any (due) and d.id between first_due and last_due and d.id <> all (blocked) and d.status || '' = 'pending' and e.id = d.endpoint_id
    returning due_of[array_position(due, d.id)] as n, d.status, d.id, d.event_id, d.endpoint_id, d.attempt_count,
      d.round_attempt_count, d.due_at, e.url, e.secret_sealed,
      case when e.previous_secret_until > now_at then e.previous_secret_sealed end as previous_secret_sealed,
      d.task_id is not null as is_replay
  )
  select c.n, c.status, c.id, c.event_id, c.endpoint_id, c.attempt_count, c.round_attempt_count, c.url, c.secret_sealed,
    c.previous_secret_sealed, v.user_id, v.line_id, v.type, v.payload, v.from_number, v.to_number, clock_timestamp(),
    null::double precision, c.is_replay
  from claimed c left join (
    select * from events where id = any (due_events) and id between first_event and last_event
  ) v on v.id = c.event_id
  order by c.due_at, c.id;

  if cardinality(blocked) > 0 then
    return query
    with parked as (
      update deliveries d set due_at = greatest(b.due_at, now_at + interval '30 seconds'),
        last_failure = 'earlier_event_waits'
      from unnest(blocked, blocked_until) as b(id, due_at)
      where d.id = any (blocked) and d.id between first_due and last_due and d.id = b.id and d.status || '' = 'pending'
      returning d.id, d.event_id, d.endpoint_id
    )
    select due_of[array_position(due, p.id)], 'parked', p.id, p.event_id, p.endpoint_id, null::integer, null::integer, null::text, null::bytea,
      null::bytea, null::uuid, null::uuid, null::text, null::text, null::text, null::text, null::timestamptz,
      null::double precision, null::boolean
    from parked p;
  end if;
end $$;
