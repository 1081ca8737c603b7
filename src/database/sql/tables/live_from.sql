-- The lowest id of a table's rows that may still move by themselves (`live_bounds`). Statements that look for such rows read
-- it first: with a bound on ids that is known when they begin, Postgres opens no month before it. A bound that was found in
-- the future does not count: the clock of Postgres was ahead then, and the bound may be above all new rows.
create or replace function live_from(parent text) returns uuid language sql stable as $$
  select coalesce((select b.id from live_bounds b where b.parent = $1 and b.found_at <= now()), '00000000-0000-0000-0000-000000000000')
$$;
