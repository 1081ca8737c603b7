-- Endpoints with deliveries that should have started a while ago, and with no request under way: their worker has
-- died, or the endpoint was paused until now. Those that have been due longest come first. It steps from endpoint to
-- endpoint by the index, so it stays fast when many deliveries wait.
--
-- If the first delivery has lost max_lost workers, no lane claims it (`claim_in_lanes`), so its own job may be lost
-- whether or not other requests are under way.
create or replace function idle_lanes(overdue interval, max_lost integer, max_count integer)
returns table (endpoint_id uuid, delivery_id uuid, generation integer, is_suspect boolean)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first_live uuid := live_from('deliveries');
begin
  return query
  with recursive lanes as (
    (select d.endpoint_id from deliveries d where d.id >= first_live and d.status = 'pending' order by d.endpoint_id limit 1)
    union all
    select (select d.endpoint_id from deliveries d where d.id >= first_live and d.status = 'pending' and d.endpoint_id > l.endpoint_id
      order by d.endpoint_id limit 1)
    from lanes l where l.endpoint_id is not null
  )
  select l.endpoint_id, first.id, first.job_generation, first.lost_count >= max_lost
  from lanes l cross join lateral lane_head(l.endpoint_id, first_live) first
  where first.due_at < clock_timestamp() - overdue
    and exists (select from endpoints e where e.id = l.endpoint_id and e.paused_at is null)
    and (first.lost_count >= max_lost or not exists (
      select from deliveries d
      where d.id >= first_live and d.endpoint_id = l.endpoint_id and d.status = 'delivering' and d.lease_until > clock_timestamp()))
  order by first.due_at limit max_count;
end $$;
