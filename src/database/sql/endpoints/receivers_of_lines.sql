-- The endpoints of lines, whatever the state of the line and of the endpoint: while its developer connection is enabled those of
-- the line, and those of the applications that may have its events. It is inlined where it is called, so it has no settings
-- of its own.
create or replace function receivers_of_lines(lines uuid[])
returns table (line_id uuid, application_id uuid, endpoint_id uuid)
language sql stable as $$
  select d.line_id, null::uuid, own.id
  from developer_connections d join endpoints own on own.line_id = d.line_id and own.removed_at is null
  where d.line_id = any (lines) and d.enabled
  union all
  select c.line_id, a.id, a.endpoint_id from application_lines c join applications a on a.id = c.application_id
  where c.line_id = any (lines) and gets_events(c.scopes)
$$;
