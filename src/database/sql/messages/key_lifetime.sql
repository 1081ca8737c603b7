-- How long an Idempotency-Key counts and is kept, as docs/http.md promises.
create or replace function key_lifetime() returns interval language sql immutable as $$ select interval '24 hours' $$;
