-- How long a line and a number are paused if they answer each other like two programs (docs/concepts.md). If it were
-- shorter, they would begin again before anyone noticed; if it were longer, a person who only wrote a lot would wait
-- too long.
create or replace function ping_pong_pause() returns interval language sql immutable as $$ select interval '10 minutes' $$;
