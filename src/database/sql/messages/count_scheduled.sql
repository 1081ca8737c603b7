-- How many messages of a line wait for their time, counted no further than there may be. A function of its own, so that the
-- statement that accepts has nothing of it in its plan.
create or replace function count_scheduled(line uuid) returns integer
language sql stable set enable_seqscan = off as $$
  select count(*)::integer from (
    select 1 from messages m where m.line_id = line and m.status = 'scheduled' limit max_scheduled_per_line()) w
$$;
