-- The first delivery of a lane: of its first attempts and its retries, the one that has been due longest. It is inlined
-- where it is called, so it has no settings of its own.
create or replace function lane_head(endpoint uuid, first_live uuid)
returns table (id uuid, due_at timestamptz, job_generation integer, lost_count integer)
language sql stable as $$
  select head.id, head.due_at, head.job_generation, head.lost_count
  from (values (0), (1)) kind (is_retry) cross join lateral (
    select d.id, d.due_at, d.job_generation, d.lost_count from deliveries d
    where d.id >= first_live and d.endpoint_id = endpoint and least(d.round_attempt_count, 1) = kind.is_retry and d.status = 'pending'
    order by d.due_at, d.id limit 1
  ) head order by head.due_at, head.id limit 1
$$;
