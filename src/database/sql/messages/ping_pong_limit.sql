-- More messages than this in a minute, and about as many answers, count as two programs that answer each other. It is
-- twice the default limit to one number: a person hardly writes that much, and only an inbound message opens the
-- window again.
create or replace function ping_pong_limit() returns integer language sql immutable as $$ select 10 $$;
