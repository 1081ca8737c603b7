-- Accepts a batch of webhook requests in one round trip: per request the idempotency key, the opt-out, the
-- limits and the insert, under a lock per line, so that a count and the insert after it are one step.
--
-- The lock is advisory (a row lock would write the line's row for every message) and taken in one order by
-- everybody. Each statement of a volatile function sees what was committed before it, so the counts are right
-- after a wait for the lock, and clock_timestamp() after the lock never runs backwards on a line.
--
-- A key whose first request is still uncommitted is found by a lock that is only tried: its repeat is told so
-- instead of waiting.
--
-- enable_seqscan is off because a plan made while the table is fresh would scan it for ever after (performance.md).
--
-- outcome: accepted | replayed | key_reused | key_in_flight | opted_out | rate_limited | line_full
create or replace function accept_messages(requests jsonb, max_queued_per_line integer)
returns table (
  n integer, outcome text, message_id uuid,
  number_limit integer, number_used integer, number_opens_ms integer,
  line_limit integer, line_used integer, line_opens_ms integer
)
language plpgsql volatile set enable_seqscan = off as $$
declare
  r record;
  l record;
  contact record;
  known_hash bytea;
  known_id uuid;
  busy integer[] := '{}';
  now_at timestamptz;
  line_times timestamptz[];
  number_times timestamptz[];
begin
  for r in select x.n, x.line_id, x.key from jsonb_to_recordset(requests) as x(n integer, line_id uuid, key text)
           where x.key is not null loop
    if not pg_try_advisory_xact_lock(hashtextextended(r.line_id || ' ' || r.key, 1)) then
      busy := busy || r.n;
    end if;
  end loop;

  for r in select distinct hashtextextended(x.line_id::text, 0) as lock
           from jsonb_to_recordset(requests) as x(line_id uuid) order by 1 loop
    perform pg_advisory_xact_lock(r.lock);
  end loop;

  for r in select * from jsonb_to_recordset(requests) as x(n integer, id uuid, line_id uuid, "to" text, text text, "full" boolean, key text, hash text)
           order by x.n loop
    n := r.n;
    now_at := clock_timestamp();
    select * into l from lines where id = r.line_id;
    select * into contact from line_contacts c where c.line_id = r.line_id and c.number = r."to";
    select coalesce(array_agg(m.created_at order by m.created_at), '{}'),
           coalesce(array_agg(m.created_at order by m.created_at)
             filter (where m.to_number = r."to" and (contact.window_cleared_at is null or m.created_at > contact.window_cleared_at)), '{}')
      into line_times, number_times
      from messages m
      where m.line_id = r.line_id and m.source = 'webhook' and m.created_at > now_at - interval '60 seconds'
        and m.id >= lowest_id_at(now_at - interval '1 day');

    known_id := null;
    if r.key is not null then
      select k.request_hash, k.message_id into known_hash, known_id from idempotency_keys k
        where k.scope_id = r.line_id and k.key = r.key and k.created_at > now_at - interval '24 hours';
    end if;

    message_id := null;
    if r.n = any (busy) then
      outcome := 'key_in_flight';
    elsif known_id is not null then
      outcome := case when known_hash = decode(r.hash, 'hex') then 'replayed' else 'key_reused' end;
      message_id := known_id;
    elsif contact.opted_out_at is not null then
      outcome := 'opted_out';
    elsif cardinality(number_times) >= l.messages_per_number_per_minute or cardinality(line_times) >= l.messages_per_minute then
      outcome := 'rate_limited';
    elsif r."full" or (select count(*) from (select 1 from messages m where m.line_id = r.line_id and m.status in ('queued', 'sending')
            limit max_queued_per_line) waiting) >= max_queued_per_line then
      outcome := 'line_full';
    else
      outcome := 'accepted';
      message_id := r.id;
      insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, created_at, due_at)
        values (r.id, l.user_id, r.line_id, 'outbound', 'webhook', l.number, r."to", r.text, 'queued', now_at, now_at);
      if r.key is not null then
        insert into idempotency_keys (scope_id, key, request_hash, message_id, created_at)
          values (r.line_id, r.key, decode(r.hash, 'hex'), r.id, now_at)
          on conflict (scope_id, key) do update
          set request_hash = excluded.request_hash, message_id = excluded.message_id, created_at = excluded.created_at;
      end if;
      line_times := line_times || now_at;
      number_times := number_times || now_at;
    end if;

    number_limit := l.messages_per_number_per_minute;
    number_used := cardinality(number_times);
    number_opens_ms := opens_in_ms(number_times, number_limit, now_at);
    line_limit := l.messages_per_minute;
    line_used := cardinality(line_times);
    line_opens_ms := opens_in_ms(line_times, line_limit, now_at);
    return next;
  end loop;
end $$;
