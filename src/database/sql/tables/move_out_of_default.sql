-- Moves the rows of a table's default partition to partitions of their months, which it makes, up to those of the next two
-- months. For operators, if there were no partitions for months (docs/operating/runbooks.md). Returns the number of rows.
--
-- Only months with rows get a partition. A process whose clock began in 1970 would otherwise leave hundreds of them, and
-- every statement that does not name a month opens each.
--
-- Nothing is deleted row by row, which the guard of `audit_log` would refuse: the default partition is replaced by an empty
-- one, and its rows are inserted again.
create or replace function move_out_of_default(parent text) returns bigint
language plpgsql set lock_timeout = '10s' as $$
declare
  current_default text := parent || '_default';
  old_default text := parent || '_old_default';
  this_month timestamp := date_trunc('month', now() at time zone 'UTC');
  last_month timestamp := this_month + interval '2 months';
  next_id uuid;
  month timestamp;
  moved bigint;
begin
  execute format('lock table %I in access exclusive mode', parent);
  execute format('select id from %I order by id limit 1', current_default) into next_id;
  if next_id is null then
    return 0;
  end if;

  execute format('alter table %I detach partition %I', parent, current_default);
  execute format('alter table %I rename to %I', current_default, old_default);
  execute format('create table %I partition of %I default', current_default, parent);
  perform copy_statement_triggers(parent, current_default);
  while next_id is not null loop
    month := date_trunc('month', to_timestamp(
      ('x' || left(replace(next_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC');
    exit when month > last_month;
    perform ensure_partitions(parent, month::date, 1);
    execute format('select id from %I where id >= $1 order by id limit 1', old_default) into next_id
      using lowest_id_at((month + interval '1 month') at time zone 'UTC');
  end loop;
  perform ensure_partitions(parent, this_month::date, 3);
  execute format('insert into %I select * from %I', parent, old_default);
  get diagnostics moved = row_count;
  execute format('drop table %I', old_default);
  return moved;
end $$;
