-- Creates a table's triggers for statements on one of its partitions. Postgres copies only those for rows.
create or replace function copy_statement_triggers(parent text, partition text) returns void
language plpgsql as $$
declare
  definition text;
begin
  for definition in
    select pg_get_triggerdef(t.oid, true) from pg_trigger t
    where t.tgrelid = parent::regclass and not t.tgisinternal and t.tgtype & 1 = 0
  loop
    execute replace(definition, format(' ON %I ', parent), format(' ON %I ', partition));
  end loop;
end $$;
