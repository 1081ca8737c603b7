-- Raises the bounds of `live_bounds` to the first month with a row that may still move by itself. Called every hour: a bound
-- takes what the call before has found, so that a message which was sent within the last minutes, and counts in a window, is
-- above it too, and one whose carrier is asked what became of it. It is always a week old, because an id may be older than its
-- row.
--
-- It misses what is committed while it looks. The next call sees that, and no bound rises above it before then. If two
-- processes look at the same time, only one of them counts, because what they find has to wait for an hour.
--
-- It lowers a bound if a row below it moves again without `lower_live_bound`.
--
-- @returns the number of bounds that changed
create or replace function raise_live_bounds() returns integer
language plpgsql volatile set enable_seqscan = off as $$
declare
  bound record;
  part record;
  is_live boolean;
  is_changed boolean;
  first_live uuid;
  changed integer := 0;
begin
  for bound in
    select b.*, s.statuses from (values
      ('messages', array[$q$status in ('queued', 'sending')$q$, $q$status = 'scheduled'$q$]),
      ('deliveries', array[$q$status = 'pending'$q$, $q$status = 'delivering'$q$])
    ) s(parent, statuses)
    join live_bounds b on b.parent = s.parent
    -- If the clock was ahead, what was found then does not wait until that time has come.
    where b.found_at not between clock_timestamp() - interval '55 minutes' and clock_timestamp()
  loop
    first_live := lowest_id_at(clock_timestamp() - interval '7 days');
    for part in
      select p.name, case when p.month ~ '^\d+$' then lowest_id_at(to_date(p.month, 'YYYYMM')::timestamp at time zone 'UTC')
        else lowest_id_at('-infinity') end as first_id
      from (
        select c.relname as name, substr(c.relname, length(bound.parent) + 2) as month
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = bound.parent::regclass) p
      order by first_id
    loop
      exit when part.first_id >= first_live;
      begin
        -- Each state has an index of its own.
        execute format('select exists (select from %1$I where %2$s) or exists (select from %1$I where %3$s)',
          part.name, bound.statuses[1], bound.statuses[2]) into is_live;
      exception when undefined_table then
        -- Retention, which runs at the same time once a day, has just dropped it.
        is_live := false;
      end;
      if is_live then
        first_live := part.first_id;
      end if;
    end loop;
    update live_bounds b set id = least(b.next_id, first_live), next_id = first_live, found_at = clock_timestamp()
    where b.parent = bound.parent and b.found_at = bound.found_at returning b.id <> bound.id into is_changed;
    changed := changed + coalesce(is_changed, false)::integer;
  end loop;
  return changed;
end $$;
