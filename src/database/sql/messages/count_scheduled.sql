-- The number of scheduled messages of a line, counted up to the maximum. It is a separate function, so that the plan
-- of the accepting statement does not contain it.
create or replace function count_scheduled(line uuid) returns integer
language sql stable set enable_seqscan = off as $$
  select count(*)::integer from (
    select 1 from messages m where m.line_id = line and m.status = 'scheduled' limit max_scheduled_per_line()) w
$$;
