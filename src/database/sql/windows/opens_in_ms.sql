-- How long until one more message fits into the last 60 s. For a window with room: until it gives back one message.
create or replace function opens_in_ms(times timestamptz[], allowed integer, now_at timestamptz) returns integer
language sql immutable as $$
  select case when cardinality(times) = 0 then 0 else
    ceil(extract(epoch from times[greatest(cardinality(times) - allowed, 0) + 1] + limit_window() - now_at) * 1000)::integer
  end
$$;
