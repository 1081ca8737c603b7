-- The part of `queue_messages` that judges and writes, under its locks.
--
-- `settled` is the answer of a request that does not depend on room, above all of one whose key is known. The others are
-- new, but for the later ones of several with one key, which get the answer of the first. Each is judged as if all new ones
-- before it, on its line and to its number, were accepted. If all new requests of a line pass that way, the assumption was
-- right for each, and they are queued. (A line with a repeat of a request on another line waits for all lines to pass: that
-- request may be refused, and its repeat is then the first, before what follows it on the line.) Otherwise none of the line is queued, and what was judged by the assumption has to
-- be judged again alone (is_final: not). That costs ten times as much: when repeats were judged so, 200 requests with one
-- key at once took a busy machine longer than a statement may take, and all were answered 503.
--
-- requests: [{n, id, line_id, source, application_id, to, text, media: [{id, url, token}], again_of, full, refused, roomy,
-- scope_id, key, hash, token_hash, line_version, segments, capped, send_at, expires_at, client_ref,
-- carrier_options}]. `full`: the service takes no more now. `refused`: the caller has a reason to accept it only as a repeat. `roomy`: the
-- messages that wait on the line need not be counted, which is slow if they are many (`line_waiting` is null then). `hash`
-- and `token_hash` are hex.
--
-- `token_hash` is of the token that came with a webhook's request, and `line_version` of the line's row that was read for
-- it, which may be out of date. If the token or the line was changed, or the webhook closed, before this statement began,
-- the outcome is webhook_changed. The version is `xmin`, the transaction that wrote the row.
--
-- A message whose `send_at` is still to come is `scheduled` (`release_scheduled` brings it); one in the past means
-- immediately. Scheduled messages count in no limit and do not wait on the line, but their number per line is limited
-- (line_full).
--
-- Only the webhook has limits, and only its messages count in them. The service's own messages are never refused. For
-- messages that a person resends, the worker checks the opt-out. A key counts for `key_lifetime`.
--
-- `segments`: what the message counts in the caps of its line and of its line's user; `capped`: there may be such a
-- cap, and the caller has locked it. A day is one of UTC, and so is a month. A cap in money counts the costs that
-- carriers have reported (`note_charges`), because the cost of a text is not known before.
--
-- enable_seqscan is off, because a plan made while the tables are small would scan them forever.
create or replace function fit_messages(
  requests jsonb, in_flight integer[], connected text[], max_queued_per_line integer
)
returns table (
  n integer, outcome text, message_id uuid, is_final boolean,
  number_limit integer, number_used integer, number_opens_ms integer,
  line_limit integer, line_used integer, line_opens_ms integer, line_waiting integer
)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  now_at timestamptz := clock_timestamp();
  today date := (now_at at time zone 'UTC')::date;
  this_month date := date_trunc('month', today)::date;
begin
  return query
  with asked as materialized (
    select x.*, x.source = 'webhook' and later.is_later is not true as is_limited, later.is_later is true as is_later
    from jsonb_to_recordset(requests) as x(
      n integer, id uuid, line_id uuid, source text, application_id uuid, "to" text, text text, media jsonb,
      again_of uuid, "full" boolean, refused boolean, roomy boolean, scope_id uuid, key text, hash text,
      token_hash text, line_version text, segments integer, capped boolean, send_at timestamptz, expires_at timestamptz,
      client_ref text, carrier_options jsonb)
    cross join lateral (select x.send_at > now_at as is_later) later
  ), line_state as materialized (
    select l.id, l.user_id, l.number, l.messages_per_minute, l.messages_per_number_per_minute,
      recent.used, recent.oldest_at, waiting.count as waiting,
      case when d.has_later then count_scheduled(l.id) end as scheduled, l.xmin::text as version,
      l.status = 'active' and c.enabled is true as is_open,
      array[w.token_hash, case when w.previous_token_until > now_at then w.previous_token_hash end] as token_hashes
    from (
      select a.line_id, bool_and(a.roomy is true) as is_roomy, bool_or(a.is_later) as has_later from asked a group by a.line_id
    ) d
    join lines l on l.id = d.line_id
    left join incoming_webhooks w on w.line_id = l.id
    left join developer_connections c on c.line_id = l.id
    cross join lateral (
      select count(*)::integer as used, min(t.created_at) as oldest_at from (
        select m.created_at from messages m
        where m.line_id = l.id and m.source = 'webhook' and m.created_at > now_at - limit_window() and m.send_at is null
        order by m.created_at desc limit l.messages_per_minute) t
    ) recent
    cross join lateral (
      select case when not d.is_roomy then count(*)::integer end as count from (
        select 1 from messages m where not d.is_roomy and m.line_id = l.id and m.status in ('queued', 'sending')
        limit max_queued_per_line) w
    ) waiting
  ), settling as materialized (
    select a.*, k.message_id as known_id,
      case
        when a.token_hash is not null and (l.is_open and l.version = a.line_version
          and decode(a.token_hash, 'hex') = any (l.token_hashes)) is not true then 'webhook_changed'
        when a.n = any (in_flight) then 'key_in_flight'
        when a.application_id is not null
          and (a.application_id || ' ' || a.line_id = any (connected)) is not true then 'not_connected'
        when k.message_id is not null then
          case when k.request_hash = decode(a.hash, 'hex') then 'replayed' else 'key_reused' end
      end as settled
    from asked a
    join line_state l on l.id = a.line_id
    left join lateral (
      select i.message_id, i.request_hash from idempotency_keys i
      where i.scope_id = a.scope_id and i.key = a.key and i.created_at > now_at - key_lifetime()
    ) k on a.key is not null
  ), keyed as (
    select s.*, s.settled is null and (s.key is null or row_number() over of_key = 1) as is_new,
      first_value(s.id) over of_key as first_id, first_value(s.hash) over of_key as first_hash,
      case when s.key is null then s.line_id else first_value(s.line_id) over of_key end as first_line_id
    from settling s
    window of_key as (partition by s.scope_id, s.key, s.settled is null order by s.n)
  ), placed as (
    select a.*,
      -- Of repeats too: one of a request on another line may turn out to be the first.
      count(*) filter (where a.settled is null) over of_line - (a.settled is null)::integer as unsettled_before,
      count(*) filter (where a.is_new and not a.is_later) over of_line - (a.is_new and not a.is_later)::integer
        as waiting_before,
      count(*) filter (where a.is_new and a.is_later) over of_line - (a.is_new and a.is_later)::integer as later_before,
      count(*) filter (where a.is_new and a.is_limited) over of_line - (a.is_new and a.is_limited)::integer as line_before,
      count(*) filter (where a.is_new and a.is_limited) over of_number - (a.is_new and a.is_limited)::integer
        as number_before
    from keyed a
    window of_line as (partition by a.line_id order by a.n), of_number as (partition by a.line_id, a."to" order by a.n)
  ), number_state as materialized (
    select d.line_id, d."to", c.opted_out_at, recent.used, recent.oldest_at
    from (select distinct a.line_id, a."to" from asked a) d
    join line_state l on l.id = d.line_id
    left join line_peers c on c.line_id = d.line_id and c.number = d."to"
    cross join lateral (
      select count(*)::integer as used, min(t.created_at) as oldest_at from (
        select m.created_at from messages m
        where l.used > 0 and m.line_id = d.line_id and m.source = 'webhook' and m.to_number = d."to"
          and m.send_at is null and m.created_at > greatest(now_at - limit_window(), c.window_cleared_at)
        order by m.created_at desc limit l.messages_per_number_per_minute) t
    ) recent
  ), judged as materialized (
    select p.*, l.user_id, l.number as from_number, l.messages_per_minute, l.messages_per_number_per_minute,
      l.used as line_used, l.oldest_at as line_oldest_at, l.waiting, r.used as number_used, r.oldest_at as number_oldest_at,
      case
        when p.settled is not null then p.settled
        when not p.is_new then case when p.hash = p.first_hash then 'replayed' else 'key_reused' end
        when p.refused then 'refused'
        when p.source = 'service' then 'accepted'
        when r.opted_out_at is not null and p.again_of is null then 'opted_out'
        when p.is_limited and (r.used + p.number_before >= l.messages_per_number_per_minute
          or l.used + p.line_before >= l.messages_per_minute) then 'rate_limited'
        when p.capped is true and p.segments > 0 and exists (
          select from spend_caps c where c.owner_id in (p.line_id, l.user_id)
            and case when c.day = today then c.used else 0 end + p.segments + (
              select coalesce(sum(b.segments), 0) from keyed b join line_state o on o.id = b.line_id
              where b.is_new and b.n < p.n and c.owner_id in (b.line_id, o.user_id)) > c.segments_per_day) then 'over_cap'
        when p.capped is true and p.segments > 0 and exists (
          select from spend_caps c where c.owner_id in (p.line_id, l.user_id) and c.amount_per_month <= (
            select coalesce(sum(s.amount), 0) from spending s where s.month = this_month and s.currency = c.currency
              and (s.line_id = c.owner_id or s.user_id = c.owner_id))) then 'over_monthly_cap'
        when p."full" then 'line_full'
        when p.is_later then
          case when l.scheduled + p.later_before >= max_scheduled_per_line() then 'line_full' else 'accepted' end
        when l.waiting + p.waiting_before >= max_queued_per_line then 'line_full'
        else 'accepted'
      end as outcome
    from placed p
    join line_state l on l.id = p.line_id
    join number_state r on r.line_id = p.line_id and r."to" = p."to"
  ), lines_asked as materialized (
    select j.line_id, bool_and(j.outcome = 'accepted') filter (where j.is_new) as fits,
      bool_or(not j.is_new and j.settled is null and j.first_line_id <> j.line_id) as repeats_another
    from judged j group by j.line_id having bool_or(j.is_new)
  ), fitting as materialized (
    select l.line_id from lines_asked l
    where l.fits and (not l.repeats_another or (select bool_and(o.fits) from lines_asked o))
  ), taken as materialized (
    select j.* from judged j where j.is_new and j.line_id in (select f.line_id from fitting f)
  ), queued as (
    insert into messages (id, user_id, line_id, direction, source, application_id, type, from_number, to_number, text,
      media_urls, again_of, status, created_at, due_at, position, send_at, expires_at, client_ref,
      carrier_options, segment_count)
    select j.id, j.user_id, j.line_id, 'outbound', j.source, j.application_id,
      case when j.media is null then 'text' else 'media' end, j.from_number, j."to", j.text,
      case when j.media is not null then array(select jsonb_path_query(j.media, '$[*].url') #>> '{}') end, j.again_of,
      case when j.is_later then 'scheduled' else 'queued' end, now_at, case when j.is_later then j.send_at else now_at end,
      nextval('message_positions'), case when j.is_later then j.send_at end, j.expires_at, j.client_ref,
      j.carrier_options, j.segments
    from (select * from taken order by taken.n) j
  ), copies as (
    insert into media (id, user_id, line_id, message_id, purpose, source_url, token)
    select x.id, j.user_id, j.line_id, j.id, 'outbound', x.url, x.token
    from taken j cross join lateral jsonb_to_recordset(j.media) as x(id uuid, url text, token text)
    where j.media is not null
  ), spent as (
    update spend_caps c
    set used = case when c.day = today then c.used else 0 end + s.segments, day = today
    from (
      select o.id, sum(j.segments) as segments
      from taken j cross join lateral unnest(array[j.line_id, j.user_id]) as o(id)
      where j.capped is true and j.segments > 0
      group by o.id
    ) s
    where c.owner_id = s.id
  ), keys as (
    insert into idempotency_keys as k (scope_id, key, request_hash, message_id, created_at)
    select j.scope_id, j.key, decode(j.hash, 'hex'), j.id, now_at
    from taken j where j.key is not null
    on conflict (scope_id, key) do update
    set request_hash = excluded.request_hash, message_id = excluded.message_id, created_at = excluded.created_at
  )
  select j.n, j.outcome,
    case when j.outcome = 'accepted' then j.id when j.settled is null and not j.is_new then j.first_id else j.known_id end,
    jsonb_array_length(requests) = 1 or (f.line_id is not null or (j.unsettled_before = 0 and not j.is_new))
      and (j.settled is not null or j.first_line_id in (select g.line_id from fitting g)),
    j.messages_per_number_per_minute, s.number_used, opens_ms(j.number_oldest_at, s.number_used, now_at),
    j.messages_per_minute, s.line_used, opens_ms(j.line_oldest_at, s.line_used, now_at), j.waiting
  from judged j
  left join fitting f on f.line_id = j.line_id
  cross join lateral (
    select j.number_used + (j.number_before + (j.is_limited and j.outcome = 'accepted')::integer)::integer as number_used,
      j.line_used + (j.line_before + (j.is_limited and j.outcome = 'accepted')::integer)::integer as line_used
  ) s
  order by j.n;
end $$;
