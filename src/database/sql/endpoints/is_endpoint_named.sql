-- Whether an endpoint is the one of this application, or without one: of any line's developer connection or application. In
-- plpgsql it costs nothing where it is not called.
create or replace function is_endpoint_named(endpoint uuid, application uuid default null) returns boolean
language plpgsql stable set enable_seqscan = off as $$
begin
  return exists (select from applications a
      where a.endpoint_id = endpoint and (application is null or a.id = application))
    or (application is null and exists (select from developer_connections c where c.endpoint_id = endpoint));
end $$;
