-- Whether an application with these scopes on a line may send from it.
create or replace function may_send(scopes text[]) returns boolean language sql immutable as $$
  select scopes && array['messages:connect', 'messages:write']
$$;
