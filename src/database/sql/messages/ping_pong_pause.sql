-- How long a line and a number are paused that answer each other like two programs (docs/concepts.md). With less, they would
-- begin again before anybody has looked; with more, a person who only wrote a lot would wait too long.
create or replace function ping_pong_pause() returns interval language sql immutable as $$ select interval '10 minutes' $$;
