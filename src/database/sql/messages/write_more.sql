-- What only some of the messages have that `fit_messages` has just queued, under its locks: copies of their media, segments
-- in caps, and keys.
--
-- requests: those of `fit_messages`; queued: the `n` of these messages.
create or replace function write_more(requests jsonb, queued integer[], now_at timestamptz) returns void
language plpgsql volatile set enable_seqscan = off as $$
declare
  today date := (now_at at time zone 'UTC')::date;
begin
  insert into media (id, user_id, line_id, message_id, purpose, source_url, token)
  select x.id, l.user_id, l.id, r.id, 'outbound', x.url, x.token
  from jsonb_to_recordset(requests) as r(n integer, id uuid, line_id uuid, media jsonb)
  join lines l on l.id = r.line_id
  cross join lateral jsonb_to_recordset(r.media) as x(id uuid, url text, token text)
  where r.n = any (queued) and r.media is not null;

  update spend_caps c
  set used = case when c.day = today then c.used else 0 end + s.segments, day = today
  from (
    select o.id, sum(r.segments) as segments
    from jsonb_to_recordset(requests) as r(n integer, line_id uuid, segments integer, capped boolean)
    join lines l on l.id = r.line_id
    cross join lateral unnest(array[l.id, l.user_id]) as o(id)
    where r.n = any (queued) and r.capped is true and r.segments > 0
    group by o.id
  ) s
  where c.owner_id = s.id;

  insert into idempotency_keys as k (scope_id, key, request_hash, message_id, created_at)
  select r.scope_id, r.key, decode(r.hash, 'hex'), r.id, now_at
  from jsonb_to_recordset(requests) as r(n integer, id uuid, scope_id uuid, key text, hash text)
  where r.n = any (queued) and r.key is not null
  on conflict (scope_id, key) do update
  set request_hash = excluded.request_hash, message_id = excluded.message_id, created_at = excluded.created_at;
end $$;
