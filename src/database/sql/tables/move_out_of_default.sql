-- Moves the rows of a table's default partition to partitions of their months, which it makes, up to those of the next two
-- months. For operators, if there were no partitions for months (docs/operating/runbooks.md). Returns the number of rows.
--
-- Nothing is deleted row by row, which the guard of `audit_log` would refuse: the default partition is replaced by an empty
-- one, and its rows are inserted again.
create or replace function move_out_of_default(parent text) returns bigint
language plpgsql set lock_timeout = '10s' as $$
declare
  current_default text := parent || '_default';
  old_default text := parent || '_old_default';
  first_id uuid;
  first_month timestamp;
  past interval;
  moved bigint;
begin
  execute format('lock table %I in access exclusive mode', parent);
  execute format('select id from %I order by id limit 1', current_default) into first_id;
  if first_id is null then
    return 0;
  end if;
  first_month := date_trunc('month', to_timestamp(
    ('x' || left(replace(first_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC');
  past := age(date_trunc('month', now() at time zone 'UTC'), first_month);

  execute format('alter table %I detach partition %I', parent, current_default);
  execute format('alter table %I rename to %I', current_default, old_default);
  execute format('create table %I partition of %I default', current_default, parent);
  perform copy_statement_triggers(parent, current_default);
  perform ensure_partitions(parent, first_month::date,
    greatest(0, extract(year from past) * 12 + extract(month from past))::integer + 3);
  execute format('insert into %I select * from %I', parent, old_default);
  get diagnostics moved = row_count;
  execute format('drop table %I', old_default);
  return moved;
end $$;
