-- So many messages of a line may wait for their time (docs/concepts.md). At 30 a minute that is what a line sends in five
-- and a half hours.
create or replace function max_scheduled_per_line() returns integer language sql immutable as $$ select 10000 $$;
