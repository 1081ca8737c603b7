-- The arrival that this one repeats, or its own id, which is then new: under a lock, for both may arrive at once.
-- Another session's arrival is repeated if that session is over, or silent for longer than an SMSC waits; who
-- says the same again on one session says it twice.
create or replace function take_smpp_inbound(
  new_id uuid, new_digest bytea, new_session_id uuid, open_session_ids uuid[], silent_ms integer, forgotten_ms integer
) returns uuid language plpgsql volatile as $$
declare
  earlier_id uuid;
begin
  perform pg_advisory_xact_lock(('x' || encode(substr(new_digest, 1, 8), 'hex'))::bit(64)::bigint);
  update smpp_inbound set session_id = new_session_id where id = (
    select id from smpp_inbound
    where digest = new_digest
      and created_at > clock_timestamp() - forgotten_ms * interval '1 ms'
      and (id = new_id
        or session_id <> all (open_session_ids)
        or (session_id <> new_session_id and created_at < clock_timestamp() - silent_ms * interval '1 ms'))
    order by id limit 1
  ) returning id into earlier_id;
  if earlier_id is not null then return earlier_id; end if;
  insert into smpp_inbound (id, digest, session_id) values (new_id, new_digest, new_session_id);
  return null;
end $$;
