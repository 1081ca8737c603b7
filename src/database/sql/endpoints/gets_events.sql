-- Whether an application with these scopes on a line gets the line's events (`SCOPES` of the applications' access).
create or replace function gets_events(scopes text[]) returns boolean language sql immutable as $$
  select 'messages:connect' = any (scopes)
$$;
