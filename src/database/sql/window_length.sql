-- In which what was handed over counts: what one clock may tell differently from another in it comes on top.
create or replace function window_length() returns interval language sql immutable as $$
  select limit_window() + interval '50 milliseconds'
$$;
