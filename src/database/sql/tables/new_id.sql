-- A UUIDv7 (RFC 9562 §5.7), for rows that a statement makes of other rows. It is a random UUID of version 4 in which the
-- first 48 bits become the milliseconds, and the version 7.
create or replace function new_id() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid
$$;
