-- Whether a delivery may still go to its application: while that is connected to the line. The event about the
-- disconnection goes to every application that is not deleted. In plpgsql it costs nothing where it is not called.
create or replace function may_have_delivery(application uuid, line uuid, event_type text) returns boolean
language plpgsql stable set enable_seqscan = off as $$
begin
  if event_type = 'lineDisconnected' then
    return exists (select from applications a where a.id = application and a.deleted_at is null);
  end if;
  return exists (select from application_lines c
    where c.application_id = application and c.line_id = line and gets_events(c.scopes));
end $$;
