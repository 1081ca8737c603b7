-- Lowers a bound of `live_bounds` to a row that moves again after its end. If the bound is not to be raised above the row, it
-- changes and locks nothing; else `raise_live_bounds` waits for the commit, and raises what it finds then.
create or replace function keep_live() returns trigger language plpgsql as $$
begin
  update live_bounds b set id = least(b.id, new.id), next_id = new.id where b.parent = tg_argv[0] and b.next_id > new.id;
  return null;
end $$;
