-- A step of the lanes of endpoints: records the results of attempts and claims the next deliveries, in one
-- transaction. An endpoint is a lane. It gets as many requests at a time as it has places, over all workers, and its
-- deliveries start in the order in which they are due. The worker that ends a request claims the next delivery. A
-- worker that finds no free place does nothing, because another one will.
--
-- The lock of a lane is advisory, and several are always taken in the same order. Each statement below sees what was
-- committed before it, so a delivery that was committed while its lane was full is seen when the next place becomes
-- free.
--
-- results: [{attempt_id, delivery_id, endpoint_id, url, attempt_number, started_at, duration_ms, response_status,
-- response_excerpt, failure, status, retry_in_ms, is_gone, is_slow, dns_ms, connect_ms, tls_ms, first_byte_ms,
-- request_headers, response_headers, body_failure}]; the headers are JSON as a text, because jsonb would not keep their
-- order
-- wants: [{n, endpoint_id, places, delivery_id}]: at most `places` deliveries; with a `delivery_id` only that one. There is
-- one want for each endpoint.
--
-- status: delivering | held | exhausted | parked (the last three are not to be attempted) | idle: no more were due, and next_due_ms
-- says when the next one is (null: none waits). A lane that is full has no idle row, nor has one that is paused. Rows without
-- n come first: the deliveries of results that did not become what their result says.
create or replace function step_lanes(
  results jsonb, wants jsonb, lease interval, max_lost integer, max_in_flight integer, disable_after interval
)
returns table (
  n integer, status text, delivery_id uuid, event_id uuid, endpoint_id uuid, attempt_number integer,
  round_attempt integer, url text, secret_sealed bytea, previous_secret_sealed bytea, user_id uuid, line_id uuid,
  type text, payload text, from_number text, to_number text, claimed_at timestamptz, next_due_ms double precision,
  is_replay boolean
)
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  others jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended(lane.endpoint_id::text, 3)) from (
    select x.endpoint_id from jsonb_to_recordset(results) as x(endpoint_id uuid)
    union select x.endpoint_id from jsonb_to_recordset(wants) as x(endpoint_id uuid)
    order by 1
  ) lane;

  if jsonb_array_length(results) > 0 then
    others := settle_deliveries(results, max_in_flight, disable_after);
    if others is not null then
      return query select null::integer, x.status, x.delivery_id, null::uuid, null::uuid, null::integer, null::integer,
        null::text, null::bytea, null::bytea, null::uuid, null::uuid, null::text, null::text, null::text, null::text,
        null::timestamptz, null::double precision, null::boolean
      from jsonb_to_recordset(others) as x(delivery_id uuid, status text);
    end if;
  end if;

  if jsonb_array_length(wants) > 0 then
    return query select * from claim_in_lanes(wants, lease, max_lost, max_in_flight);
  end if;
end $$;
