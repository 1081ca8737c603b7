-- Queues messages whose time has come (scheduled → queued), starting with those that have been due longest. Any
-- number of processes may do it: each message is released once.
--
-- They get a place in the order of their line now, as if they were accepted now: what was accepted while they were scheduled
-- does not wait behind them. So it takes the lock of the line, as `queue_messages` does, and like that in one order.
--
-- An application's message fails if the application is no longer connected to the line, because its user has
-- disconnected it since.
--
-- released: [{id, generation}] of the queued ones; deliveries: those of `announce_messages`; failed: ids; looked: how many
-- were due, at most max_count.
create or replace function release_scheduled(max_count integer)
returns table (released jsonb, deliveries jsonb, failed jsonb, looked integer)
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  now_at timestamptz := clock_timestamp();
  ids uuid[];
  lock bigint;
  queued jsonb;
  ended jsonb;
begin
  select array_agg(s.id) into ids from (
    select m.id from messages m where m.status = 'scheduled' and m.send_at is not null and m.due_at <= now_at
    order by m.due_at limit max_count
  ) s;
  if ids is null then
    return query select '[]'::jsonb, '[]'::jsonb, '[]'::jsonb, 0;
    return;
  end if;

  for lock in select distinct hashtextextended(m.line_id::text, 0) from messages m where m.id = any (ids) order by 1 loop
    perform pg_advisory_xact_lock(lock);
  end loop;
  -- Several are always locked in this order.
  perform from messages m where m.id = any (ids) order by m.id for no key update;
  now_at := clock_timestamp();

  with due as materialized (
    select m.id, m.due_at, m.position, m.application_id is null or exists (
        select from application_lines a where a.application_id = m.application_id and a.line_id = m.line_id
          and may_send(a.scopes)) as is_connected
    from messages m where m.id = any (ids) and m.status || '' = 'scheduled' and m.due_at <= now_at
  ), placed as materialized (
    select o.id, nextval('message_positions') as position
    from (select d.id from due d where d.is_connected order by d.due_at, d.position) o
  ), released as (
    update messages m
    set status = 'queued', position = p.position, due_at = now_at, job_generation = m.job_generation + 1
    from placed p where m.id = any (ids) and m.id = p.id
    returning m.id, m.job_generation, m.position
  ), ended as (
    update messages m set status = 'failed', error = 'disconnected'
    from due d where m.id = any (ids) and m.id = d.id and not d.is_connected
    returning m.id, m.user_id, m.line_id, m.from_number, m.to_number, m.status, m.error, m.carrier_code, m.client_ref,
      'scheduled' as status_before
  )
  select
    (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'generation', r.job_generation) order by r.position), '[]')
     from released r),
    (select coalesce(jsonb_agg(to_jsonb(e)), '[]') from ended e)
  into queued, ended;

  return query select queued, announce_messages(ended), jsonb_path_query_array(ended, '$[*].id'), cardinality(ids);
end $$;
