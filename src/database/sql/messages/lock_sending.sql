-- Takes the locks under which messages of lines are claimed and settled, always in the same order. ids: in order, so
-- that the first and the last tell the months: `= any (…)` alone would have Postgres open every partition.
create or replace function lock_sending(ids uuid[]) returns void
language plpgsql volatile set enable_seqscan = off as $$
declare
  lock bigint;
begin
  for lock in
    select distinct hashtextextended(m.line_id::text, 2) from messages m
    where m.id = any (ids) and m.id between ids[1] and ids[cardinality(ids)] order by 1
  loop
    perform pg_advisory_xact_lock(lock);
  end loop;
end $$;
