create or replace function lowest_id_at(moment timestamptz) returns uuid language sql stable as $$
  select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
