-- A step of the lanes of endpoints: writes down what came of attempts, and claims the deliveries that are next, in one
-- transaction. An endpoint is a lane: as many requests as it has places are under way to it at a time, over all workers,
-- and its deliveries start in the order in which they are due. Whoever ends one brings the next; who finds no free place
-- lets go, because somebody is there who will.
--
-- The lock of a lane is advisory and taken in one order by everybody. Each statement below sees what was committed before
-- it: a delivery that was committed while its lane was full is seen by the one that makes the next place.
--
-- results: [{attempt_id, delivery_id, endpoint_id, url, attempt_number, started_at, duration_ms, response_status,
-- response_excerpt, failure, status, retry_in_ms, is_gone, is_slow}]
-- wants: [{n, endpoint_id, places, delivery_id}]: `places` at most, one for each endpoint; with a `delivery_id` no other.
--
-- status: delivering | held | exhausted (nothing is to be attempted of these), or idle: no more were due, and next_due_ms
-- says when the next one is (null: none waits). No row says idle of a lane that is full.
create or replace function deliver_next(
  results jsonb, wants jsonb, lease interval, max_lost integer, max_in_flight integer, disable_after interval
)
returns table (
  n integer, status text, delivery_id uuid, event_id uuid, endpoint_id uuid, attempt_number integer,
  round_attempt integer, url text, secret_sealed bytea, previous_secret_sealed bytea, user_id uuid, line_id uuid,
  type text, payload text, from_number text, to_number text, claimed_at timestamptz, next_due_ms double precision
)
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(lane.endpoint_id::text, 3)) from (
    select x.endpoint_id from jsonb_to_recordset(results) as x(endpoint_id uuid)
    union select x.endpoint_id from jsonb_to_recordset(wants) as x(endpoint_id uuid)
    order by 1
  ) lane;

  if jsonb_array_length(results) > 0 then
    perform settle_deliveries(results, max_in_flight, disable_after);
  end if;

  if jsonb_array_length(wants) > 0 then
    return query select * from claim_deliveries(wants, lease, max_lost, max_in_flight);
  end if;
end $$;
