-- The maximum number of scheduled messages of a line (docs/concepts.md). At 30 a minute that is what a line sends in
-- five and a half hours.
create or replace function max_scheduled_per_line() returns integer language sql immutable as $$ select 10000 $$;
