-- Endpoints with deliveries that should have started a while ago, and with no request under way: their worker has
-- died, or the endpoint was paused until now. Those that have been due longest come first. It steps from endpoint to
-- endpoint by the index, so it stays fast when many deliveries wait.
--
-- If the first delivery has lost max_lost workers, no lane claims it (`claim_in_lanes`), so its own job may be lost
-- whether or not other requests are under way.
create or replace function idle_lanes(overdue interval, max_lost integer, max_count integer)
returns table (endpoint_id uuid, delivery_id uuid, generation integer, is_suspect boolean)
language sql stable set enable_seqscan = off set enable_bitmapscan = off as $$
  with recursive lanes as (
    (select d.endpoint_id from deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
    union all
    select (select d.endpoint_id from deliveries d where d.status = 'pending' and d.endpoint_id > l.endpoint_id
      order by d.endpoint_id limit 1)
    from lanes l where l.endpoint_id is not null
  )
  select l.endpoint_id, first.id, first.job_generation, first.lost_count >= max_lost from lanes l cross join lateral (
    select head.* from (values (0), (1)) kind (is_retry) cross join lateral (
      select d.id, d.due_at, d.job_generation, d.lost_count from deliveries d
      where d.endpoint_id = l.endpoint_id and least(d.round_attempt_count, 1) = kind.is_retry and d.status = 'pending'
      order by d.due_at, d.id limit 1
    ) head order by head.due_at, head.id limit 1
  ) first
  where first.due_at < clock_timestamp() - overdue
    and exists (select from endpoints e where e.id = l.endpoint_id and e.paused_at is null)
    and (first.lost_count >= max_lost or not exists (
      select from deliveries d
      where d.endpoint_id = l.endpoint_id and d.status = 'delivering' and d.lease_until > clock_timestamp()))
  order by first.due_at limit max_count
$$;
