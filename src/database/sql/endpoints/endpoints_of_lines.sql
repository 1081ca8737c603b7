-- The endpoints to which the events of active lines go: while its developer connection is enabled those of the line, and those
-- of the applications that may have its events. Disabled endpoints are among them, because their deliveries are held. It is in
-- plpgsql, which keeps plans, because every receipt and every text calls it.
create or replace function endpoints_of_lines(lines uuid[])
returns table (line_id uuid, application_id uuid, endpoint_id uuid, is_disabled boolean, opt_in_events text[])
language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  select o.line_id, o.application_id, e.id, e.disabled_at is not null, e.opt_in_events
  from (
    select d.line_id, own.id as endpoint_id, null::uuid as application_id
    from developer_connections d join endpoints own on own.line_id = d.line_id and own.removed_at is null
    where d.line_id = any (lines) and d.enabled
    union all
    select c.line_id, a.endpoint_id, a.id from application_lines c join applications a on a.id = c.application_id
    where c.line_id = any (lines) and gets_events(c.scopes)
  ) o
  join lines l on l.id = o.line_id and l.status = 'active'
  join endpoints e on e.id = o.endpoint_id
  where e.removed_at is null;
end $$;
