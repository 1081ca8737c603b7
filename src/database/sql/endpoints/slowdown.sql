-- How long after a slowdown the places of an endpoint grow one by one, and the console says that it was slowed. If
-- this were shorter, an endpoint at its limit would be flooded repeatedly; if it were longer, a recovered one would
-- get its events late.
create or replace function slowdown() returns interval language sql immutable as $$ select interval '10 minutes' $$;
