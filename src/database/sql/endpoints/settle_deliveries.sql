-- The part of `step_lanes` that writes attempts, their deliveries' new states and the endpoints' health, under its
-- lock. A result that arrives after the end of its lease is recorded too, and a success counts if no later attempt
-- has begun: an outage of Postgres ends all current leases, and what was delivered does not have to be sent again.
--
-- places: how many requests the endpoint gets at a time. If all places are taken and it answers as fast as usual, it gets
-- as many more as it has answered. A time-out, a 429, a 5xx or a template that takes too long halves the places, down to
-- one: then each request is a probe. It does so once a second only, because requests that are under way together fail
-- together. For the time of `slowdown` after that the places grow one by one.
--
-- It runs in steps, as `claim_in_lanes` does. The outcome of most attempts changes nothing at the endpoint.
--
-- Returns [{delivery_id, status}] of those that became something else than their result says; null if there is none.
create or replace function settle_deliveries(results jsonb, max_in_flight integer, disable_after interval)
returns jsonb
language plpgsql volatile set enable_seqscan = off as $$
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
  first_live uuid := live_from('deliveries');
  over_in_order uuid[];
  -- Without those that an earlier statement has recorded, whose answer was lost.
  recorded uuid[];
  changes jsonb;
  others jsonb;
begin
  select array_agg(x.delivery_id order by x.delivery_id) into ids from jsonb_to_recordset(results) as x(delivery_id uuid);
  first_id := ids[1];
  last_id := ids[cardinality(ids)];

  -- Before their states change: the deliveries that end now are under way too. What changes an endpoint is judged once
  -- more when its row is locked: somebody may have enabled it, or changed its URL, until then.
  for judgement in 1 .. 2 loop
    select jsonb_agg(j) into changes from (
      select h.*, e.failing_since is not null or e.called_at is null as is_news, e.places as places_before,
        case when h.is_gone then 'gone'
          when not h.works and e.failing_since < now() - disable_after then 'failing' end as disabled_reason,
        case
        when h.is_overloaded and (e.slowed_at is null or e.slowed_at < clock_timestamp() - interval '1 second')
          then greatest(least(e.places, max_in_flight) / 2, 1)
        when h.works and not h.is_slow and not h.is_overloaded and e.places < max_in_flight and e.places <= (
          select count(*) from (select from deliveries d where d.id >= first_live and d.endpoint_id = h.id and d.status = 'delivering'
            limit e.places) under_way)
          then least(e.places + case when e.slowed_at > clock_timestamp() - slowdown() then 1
            else h.successes end, max_in_flight)
        else e.places end as places
      from (
        select g.endpoint_id as id, g.url, count(*) filter (where g.failure is null)::integer as successes, max(g.failure) as failure,
          bool_or(g.status = 'delivered') as works, coalesce(bool_or(g.is_gone), false) as is_gone,
          coalesce(bool_or(g.is_slow), false) as is_slow,
          coalesce(bool_or(g.failure in ('timeout', 'http_429', 'template_too_heavy') or g.failure like 'http\_5%'), false)
            as is_overloaded
        from jsonb_to_recordset(results) as g(endpoint_id uuid, url text, failure text, status text, is_gone boolean, is_slow boolean)
        group by g.endpoint_id, g.url
      ) h join endpoints e on e.id = h.id and e.url = h.url offset 0
    ) j
    where not j.works or j.is_overloaded or j.is_news or j.places <> j.places_before;
    exit when changes is null or judgement = 2;
    perform from endpoints e
    where e.id = any (array(select x.id from jsonb_to_recordset(changes) as x(id uuid))) order by e.id for no key update;
  end loop;

  with given as materialized (
    select x.*, case when x.status in ('pending', 'held') then (
      -- Its receiver may have gone or been disabled during the attempt, or by it. Otherwise that would show only at its
      -- next attempt.
      select case
        when d.application_id is not null and not may_have_delivery(d.application_id, d.line_id, d.type) then 'exhausted'
        when e.removed_at is not null and not is_endpoint_named(e.id) then 'exhausted'
        when e.disabled_at is not null or e.removed_at is not null then 'held'
        when exists (select from jsonb_to_recordset(changes) as j(id uuid, disabled_reason text)
          where j.id = e.id and j.disabled_reason is not null) then 'held'
        -- A 410 of a former URL says nothing about the new one.
        when x.status = 'held' and e.url <> x.url then 'pending'
        else x.status end
      from deliveries d join endpoints e on e.id = d.endpoint_id
      where d.id = x.delivery_id and d.id between first_id and last_id)
      else x.status end as new_status
    from jsonb_to_recordset(results) as x(attempt_id uuid, delivery_id uuid, url text, attempt_number integer,
      started_at timestamptz, duration_ms integer, response_status integer, response_excerpt text, failure text, status text,
      retry_in_ms bigint, dns_ms integer, connect_ms integer, tls_ms integer, first_byte_ms integer, request_headers text,
      response_headers text, body_failure text)
  ), attempts as (
    insert into delivery_attempts (id, delivery_id, attempt_number, started_at, duration_ms, response_status,
      response_excerpt, failure, next_attempt_at, dns_ms, connect_ms, tls_ms, first_byte_ms, request_headers,
      response_headers, body_failure)
    select attempt_id, delivery_id, attempt_number, started_at, duration_ms, response_status, response_excerpt, failure,
      case when new_status = 'pending' then clock_timestamp() + make_interval(secs => coalesce(retry_in_ms, 0) / 1000.0) end,
      dns_ms, connect_ms, tls_ms, first_byte_ms, request_headers::json, response_headers::json, body_failure
    from given
    -- The attempt may be there already, from a statement whose answer was lost.
    on conflict do nothing
    returning id
  ), settled as (
    update deliveries d set
      status = g.new_status,
      last_failure = case when g.new_status = 'exhausted' and g.status <> 'exhausted' then 'disconnected' else g.failure end,
      lease_until = null, lost_count = 0,
      due_at = clock_timestamp() + make_interval(secs => coalesce(g.retry_in_ms, 0) / 1000.0),
      delivered_at = case when g.status = 'delivered' then clock_timestamp() end
    from given g
    where d.id = any (ids) and d.id between first_id and last_id and d.id = g.delivery_id
      and d.attempt_count = g.attempt_number
      and (d.status || '' = 'delivering' or (g.status = 'delivered' and d.status <> 'delivered'))
    returning d.id, d.is_ordered and d.status <> 'pending' as is_over_in_order,
      case when d.status <> g.status then d.status end as other_status
  )
  select array_agg(s.id) filter (where s.is_over_in_order),
    jsonb_agg(jsonb_build_object('delivery_id', s.id, 'status', s.other_status)) filter (where s.other_status is not null),
    (select coalesce(array_agg(a.id), '{}') from attempts a)
  into over_in_order, others, recorded from settled s;

  if over_in_order is not null then
    -- The deliveries that were parked because of one that has ended now.
    update deliveries d set due_at = clock_timestamp()
    where d.id = any (array(
        select next.id from deliveries s cross join lateral (
          select p.id from deliveries p
          where p.id >= first_live and p.endpoint_id = s.endpoint_id and p.line_id = s.line_id and p.from_number = s.from_number
            and p.is_ordered and p.status in ('pending', 'delivering') and (p.created_at, p.id) > (s.created_at, s.id)
          order by p.created_at, p.id limit 1) next
        where s.id = any (over_in_order) and s.id between first_id and last_id))
      and d.status || '' = 'pending' and d.last_failure = 'earlier_event_waits';
  end if;

  if changes is not null then
    with judged as materialized (
      select x.*, (
        select count(*)::integer from jsonb_to_recordset(results) as g(attempt_id uuid, endpoint_id uuid, url text, failure text)
        where g.endpoint_id = x.id and g.url = x.url and g.failure is not null and g.attempt_id = any (recorded)
      ) as failures
      from jsonb_to_recordset(changes) as x(id uuid, url text, failure text, works boolean, disabled_reason text,
        is_overloaded boolean, places integer)
    )
    update endpoints e set
      called_at = coalesce(e.called_at, now()),
      failing_since = case when j.works then null else coalesce(e.failing_since, now()) end,
      consecutive_failure_count = case when j.works then 0 else e.consecutive_failure_count + j.failures end,
      last_failure = case when not j.works then coalesce(j.failure, e.last_failure) end,
      disabled_at = case when e.disabled_at is null and j.disabled_reason is null then null
        else coalesce(e.disabled_at, now()) end,
      disabled_reason = case when e.disabled_at is null then j.disabled_reason else e.disabled_reason end,
      places = j.places,
      slowed_at = case when j.is_overloaded then clock_timestamp() else e.slowed_at end
    from judged j
    where e.id = j.id and e.url = j.url;
  end if;

  return others;
end $$;
