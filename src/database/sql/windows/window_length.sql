-- The span in which a message counts after its hand-over. It is 50 ms longer than the limit's window, because the carrier's
-- clock may measure that differently.
create or replace function window_length() returns interval language sql immutable as $$
  select limit_window() + interval '50 milliseconds'
$$;
