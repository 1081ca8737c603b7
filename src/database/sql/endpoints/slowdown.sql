-- How long after a slowdown the places of an endpoint grow one by one, and the console says that it was slowed. With less,
-- an endpoint that can do no more would be flooded again and again; with more, one that has recovered gets its events late.
create or replace function slowdown() returns interval language sql immutable as $$ select interval '10 minutes' $$;
