-- The lowest UUIDv7 of a moment. Tables are partitioned by id, so a condition on ids keeps Postgres from reading the
-- partitions of other months. An id has the time of the clock of the process that made it. To find the rows of the
-- last minute, ask for ids of a wider span and compare the rows' own times.
-- All moments before 1970 have the lowest id of all, which no row has.
create or replace function lowest_id_at(moment timestamptz) returns uuid language sql stable as $$
  select (lpad(to_hex(greatest(0, floor(extract(epoch from moment) * 1000))::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
