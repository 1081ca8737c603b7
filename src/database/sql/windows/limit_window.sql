-- The span in which the limits of a line count, for the webhook that accepts and for the worker that sends. Both limits are
-- promised per 60 seconds (docs/concepts.md).
create or replace function limit_window() returns interval language sql immutable as $$ select interval '60 seconds' $$;
