-- How long until a webhook's window gives back one message, which is the oldest that counts; 0 when none counts.
create or replace function opens_ms(oldest_at timestamptz, used integer, now_at timestamptz) returns integer
language sql stable as $$
  select case when used = 0 then 0
    else ceil(extract(epoch from coalesce(oldest_at, now_at) + limit_window() - now_at) * 1000)::integer end
$$;
