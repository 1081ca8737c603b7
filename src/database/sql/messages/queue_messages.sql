-- Queues a batch of messages to be sent, whatever their source. One transaction judges keys, opt-outs, limits and
-- backlogs, and writes the rows. requests: what `fit_messages` takes, in order of `n`.
--
-- The lock of a line is advisory, because a row lock would write the line's row for every message. Several are always
-- taken in the same order. Each statement sees what was committed before it, so the counts are right after a wait for
-- the lock, and clock_timestamp() after the lock never goes back on a line.
--
-- A lock that is only tried tells whether the first request with a key is still uncommitted: then its repeat is told
-- so at once, and does not wait for the line either, which the first request has or waits for. (A person who pressed
-- "send again" twice waits for the line, and gets the one message.) The row of an application's right to a line is
-- written before anything is judged, so that revoking the right waits for this transaction. It is written under the
-- line's lock, so two transactions never take two such rows in different orders.
--
-- Requests that do not fit together are judged one by one, in order, by the same statement. `n` is a request's place.
--
-- Where there are caps, those of the lines and of their users are locked next, in one order. A request
-- without `segments` is counted by none.
--
-- outcome: accepted | replayed | key_reused | key_in_flight | not_connected | webhook_changed | opted_out | rate_limited |
-- refused | over_cap | over_monthly_cap | line_full
create or replace function queue_messages(requests jsonb, max_queued_per_line integer)
returns table (
  n integer, outcome text, message_id uuid,
  number_limit integer, number_used integer, number_opens_ms integer,
  line_limit integer, line_used integer, line_opens_ms integer, line_waiting integer
)
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  in_flight integer[];
  connected text[];
  judged record;
  rest integer[] := '{}';
  each integer;
begin
  select array_agg(tried.n) into in_flight from (
    select x.n, pg_try_advisory_xact_lock(hashtextextended(x.scope_id || ' ' || x.key, 1)) as is_ours
    from jsonb_to_recordset(requests) as x(n integer, scope_id uuid, key text, again_of uuid)
    where x.key is not null and x.again_of is null
  ) tried where not tried.is_ours;

  perform pg_advisory_xact_lock(asked.lock) from (
    select distinct hashtextextended(x.line_id::text, 0) as lock
    from jsonb_to_recordset(requests) as x(n integer, line_id uuid)
    where (x.n = any (in_flight)) is not true
    order by 1
  ) asked;

  if exists (select from spend_caps) then
    perform from spend_caps c
    where c.owner_id in (
      select o.id from jsonb_to_recordset(requests) as x(n integer, line_id uuid, segments integer)
      join lines l on l.id = x.line_id cross join lateral unnest(array[l.id, l.user_id]) as o(id)
      where x.segments > 0 and (x.n = any (in_flight)) is not true)
    order by c.owner_id for no key update;
    if found then
      select jsonb_agg(r.value || '{"capped": true}') into requests from jsonb_array_elements(requests) r;
    end if;
  end if;

  if jsonb_path_exists(requests, '$[*].application_id ? (@ != null)') then
    with used as (
      update application_lines a set last_sent_at = clock_timestamp()
      from (
        select distinct x.application_id, x.line_id
        from jsonb_to_recordset(requests) as x(n integer, application_id uuid, line_id uuid)
        where (x.n = any (in_flight)) is not true
      ) asked
      where a.application_id = asked.application_id and a.line_id = asked.line_id
        and may_send(a.scopes)
      returning a.application_id, a.line_id
    )
    select array_agg(used.application_id || ' ' || used.line_id) into connected from used;
  end if;

  for judged in select * from fit_messages(requests, in_flight, connected, max_queued_per_line) loop
    if judged.is_final then
      n := judged.n; outcome := judged.outcome; message_id := judged.message_id;
      number_limit := judged.number_limit; number_used := judged.number_used; number_opens_ms := judged.number_opens_ms;
      line_limit := judged.line_limit; line_used := judged.line_used; line_opens_ms := judged.line_opens_ms;
      line_waiting := judged.line_waiting;
      return next;
    else
      rest := rest || judged.n;
    end if;
  end loop;

  foreach each in array rest loop
    return query
      select f.n, f.outcome, f.message_id, f.number_limit, f.number_used, f.number_opens_ms,
        f.line_limit, f.line_used, f.line_opens_ms, f.line_waiting
      from fit_messages(jsonb_build_array(requests -> each), in_flight, connected, max_queued_per_line) f;
  end loop;
end $$;
