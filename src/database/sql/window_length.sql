-- A minute, and what one clock may tell differently from another in it.
create or replace function window_length() returns interval language sql immutable as $$ select interval '60.05 seconds' $$;
