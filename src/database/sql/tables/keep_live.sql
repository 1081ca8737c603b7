-- Called for each row that moves again after its end.
create or replace function keep_live() returns trigger language plpgsql as $$
begin
  perform lower_live_bound(tg_argv[0], new.id);
  return null;
end $$;
