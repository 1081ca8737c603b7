-- Whether a line with this account and these routes sends by an account, and so may receive by it.
create or replace function is_line_at(carrier text, routes jsonb, account text) returns boolean language sql immutable as $$
  select carrier = account or routes @> jsonb_build_array(jsonb_build_object('carrier', account))
$$;
