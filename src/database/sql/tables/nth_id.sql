-- The nth id (from 1) that is made of one UUIDv7. It keeps that one's place among the ids of its process.
create or replace function nth_id(base uuid, nth bigint) returns uuid language sql immutable as $$
  select overlay(base::text placing lpad(to_hex(nth), 4, '0') from 33)::uuid
$$;
