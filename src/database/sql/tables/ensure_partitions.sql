create or replace function ensure_partitions(parent text, first_month date, months integer) returns integer
language plpgsql as $$
declare
  month_start timestamptz;
  partition text;
  created integer := 0;
begin
  -- Two processes may do this at the same time.
  perform pg_advisory_xact_lock(hashtextextended('ensure_partitions ' || parent, 0));
  for i in 0 .. months - 1 loop
    month_start := (date_trunc('month', first_month::timestamp) + make_interval(months => i)) at time zone 'UTC';
    partition := parent || to_char(month_start at time zone 'UTC', '_YYYYMM');
    if to_regclass(partition) is null then
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)', partition, parent,
          lowest_id_at(month_start), lowest_id_at((month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC'));
        perform copy_statement_triggers(parent, partition);
        created := created + 1;
      exception when check_violation then
        raise warning 'rows of % are in the default partition already', partition;
      end;
    end if;
  end loop;
  return created;
end $$;
