-- The lock under which messages of a line are accepted.
create or replace function lock_line(line uuid) returns void language sql volatile as $$
  select pg_advisory_xact_lock(hashtextextended(line::text, 0))
$$;
