-- The endpoints to which the events of active lines go. Disabled endpoints are among them, because their deliveries are held. It
-- is in plpgsql, which keeps plans, because every receipt and every text calls it.
create or replace function endpoints_of_lines(lines uuid[])
returns table (line_id uuid, application_id uuid, endpoint_id uuid, is_disabled boolean, opt_in_events text[])
language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  select o.line_id, o.application_id, e.id, e.disabled_at is not null, e.opt_in_events
  from receivers_of_lines(lines) o
  join lines l on l.id = o.line_id and l.status = 'active'
  join endpoints e on e.id = o.endpoint_id
  where e.removed_at is null;
end $$;
