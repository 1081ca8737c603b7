-- Notes arrivals of SMPP's messages, which have no id of their own. arrivals: [{n, arrival_id, digest, session_id,
-- open_session_ids, silent_ms, forgotten_ms}] in order of arrival, `digest` in hex. Those without a digest are passed over.
--
-- earlier_id: the arrival that it repeats; null: it is new. An equal arrival on another session is the same message if that
-- session is over, or silent for longer than an SMSC waits. Two equal arrivals on one session are two messages. An arrival
-- may also repeat itself, if the answer to its commit was lost on the way to us.
--
-- There is a lock for each digest, because both may arrive at once. Equal arrivals of one batch are judged one after the
-- other, all others together.
create or replace function take_smpp_arrivals(arrivals jsonb) returns table (n integer, earlier_id uuid)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  last_turn integer;
begin
  perform pg_advisory_xact_lock(asked.lock) from (
    select distinct ('x' || substr(x.digest, 1, 16))::bit(64)::bigint as lock
    from jsonb_to_recordset(arrivals) as x(digest text) where x.digest is not null order by 1
  ) asked;

  select coalesce(max(equal.count), 0) into last_turn from (
    select count(*) from jsonb_to_recordset(arrivals) as x(digest text) where x.digest is not null group by x.digest
  ) equal;
  for this_turn in 1 .. last_turn loop
    return query
    with arriving as materialized (
      select x.n, x.arrival_id as id, decode(x.digest, 'hex') as digest, x.session_id, x.open_session_ids, x.silent_ms, x.forgotten_ms
      from (
        select *, row_number() over (partition by r.digest order by r.n) as turn
        from jsonb_to_recordset(arrivals) as r(
          n integer, arrival_id uuid, digest text, session_id uuid, open_session_ids uuid[], silent_ms integer,
          forgotten_ms integer)
        where r.digest is not null
      ) x where x.turn = this_turn
    ), judged as materialized (
      select a.*, e.id as earlier_id from arriving a
      left join lateral (
        select s.id from smpp_inbound s
        where s.digest = a.digest
          and s.created_at > clock_timestamp() - a.forgotten_ms * interval '1 ms'
          and (s.id = a.id
            or s.session_id <> all (a.open_session_ids)
            or (s.session_id <> a.session_id and s.created_at < clock_timestamp() - a.silent_ms * interval '1 ms'))
        order by s.id limit 1
      ) e on true
    ), repeated as (
      update smpp_inbound s set session_id = j.session_id from judged j
      where s.id = any (array(select r.earlier_id from judged r)) and s.id = j.earlier_id
    ), noted as (
      insert into smpp_inbound (id, digest, session_id)
      select j.id, j.digest, j.session_id from judged j where j.earlier_id is null
    )
    select j.n, j.earlier_id from judged j;
  end loop;
end $$;
