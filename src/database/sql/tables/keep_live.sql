-- Lowers a bound of `live_bounds` to a row that moves again after its end. `raise_live_bounds` waits for the commit.
create or replace function keep_live() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('live ' || tg_argv[0], 0));
  update live_bounds b set id = least(b.id, new.id), next_id = new.id where b.parent = tg_argv[0] and b.next_id > new.id;
  return null;
end $$;
