-- Accepts one message of an application (or of a user's own program): as accept_messages does for webhooks, with
-- the same locks in the same order, and without the webhook's limits.
-- outcome: accepted | replayed | key_reused | key_in_flight | not_connected | opted_out | line_full
create or replace function accept_api_message(
  r jsonb, max_queued_per_line integer, out outcome text, out message_id uuid
)
language plpgsql volatile set enable_seqscan = off as $$
declare
  l lines;
  known idempotency_keys;
  application uuid := (r ->> 'application_id')::uuid;
  scope uuid := (r ->> 'scope_id')::uuid;
  now_at timestamptz;
begin
  if r ->> 'key' is not null and not pg_try_advisory_xact_lock(hashtextextended(scope || ' ' || (r ->> 'key'), 1)) then
    outcome := 'key_in_flight';
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(r ->> 'line_id', 0));
  now_at := clock_timestamp();
  select * into l from lines where id = (r ->> 'line_id')::uuid;

  if application is not null then
    update application_lines set last_sent_at = now_at
      where application_id = application and line_id = l.id and scopes && array['messages:connect', 'messages:write'];
    if not found then
      outcome := 'not_connected';
      return;
    end if;
  end if;

  select * into known from idempotency_keys k
    where k.scope_id = scope and k.key = r ->> 'key' and k.created_at > now_at - interval '24 hours';
  if found then
    outcome := case when known.request_hash = decode(r ->> 'hash', 'hex') then 'replayed' else 'key_reused' end;
    message_id := known.message_id;
  elsif exists (select 1 from line_contacts c
      where c.line_id = l.id and c.number = r ->> 'to' and c.opted_out_at is not null) then
    outcome := 'opted_out';
  elsif (select count(*) from (select 1 from messages m where m.line_id = l.id and m.status in ('queued', 'sending')
      limit max_queued_per_line) waiting) >= max_queued_per_line then
    outcome := 'line_full';
  else
    outcome := 'accepted';
    message_id := (r ->> 'id')::uuid;
    insert into messages (id, user_id, line_id, direction, source, application_id, type, from_number, to_number,
        text, media_url, status, created_at, due_at)
      values (message_id, l.user_id, l.id, 'outbound', r ->> 'source',
        application, case when r ->> 'media_url' is null then 'text' else 'media' end, l.number, r ->> 'to',
        r ->> 'text', r ->> 'media_url', 'queued', now_at, now_at);
    if r ->> 'key' is not null then
      insert into idempotency_keys (scope_id, key, request_hash, message_id, created_at)
        values (scope, r ->> 'key', decode(r ->> 'hash', 'hex'), message_id, now_at)
        on conflict (scope_id, key) do update
        set request_hash = excluded.request_hash, message_id = excluded.message_id, created_at = excluded.created_at;
    end if;
  end if;
end $$;
