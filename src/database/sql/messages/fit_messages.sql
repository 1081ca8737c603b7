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
-- immediately. Messages accepted for later count in no limit and do not wait on the line, but their number per line is
-- limited (line_full). One that was accepted to be sent at once counts, whatever time it got since (`reschedule`).
--
-- Only the webhook has limits, and only its messages count in them. The service's own messages are never refused. For
-- messages that a person resends, the worker checks the opt-out. A key counts for `key_lifetime`.
--
-- `segments`: what the message counts in the caps of its line and of its line's user; `capped`: there may be such a
-- cap, and the caller has locked it. A day is one of UTC, and so is a month. A cap in money counts the costs that
-- carriers have reported (`note_charges`), because the cost of a text is not known before.
--
-- enable_seqscan is off, because a plan made while the tables are small would scan them forever.
--
-- `from_id` keeps Postgres from reading the months before, of which years may be kept. It is a day early, because ids have
-- the time of the process that made them. There is no bound above: with two, Postgres expects so few rows between them that
-- it reads all of the day's ids instead of those of the line.
--
-- What the statement takes to begin grows with its columns and tables, so the judging carries few columns, and `write_more`
-- writes what only some messages have.
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
  from_id uuid := lowest_id_at(now_at - interval '1 day');
  first_live uuid := live_from('messages');
  has_more boolean;
  more integer[] := '{}';
begin
  for n, outcome, message_id, is_final, number_limit, number_used, number_opens_ms,
    line_limit, line_used, line_opens_ms, line_waiting, has_more in
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
        where m.line_id = l.id and m.source = 'webhook' and m.created_at > now_at - limit_window()
          and (m.send_at is null or m.is_postponed) and m.id >= from_id
        order by m.created_at desc limit l.messages_per_minute) t
    ) recent
    cross join lateral (
      select case when not d.is_roomy then count(*)::integer end as count from (
        select 1 from messages m where not d.is_roomy and m.id >= first_live and m.line_id = l.id and m.status in ('queued', 'sending')
        limit max_queued_per_line) w
    ) waiting
  ), number_state as materialized (
    select d.line_id, d."to", c.opted_out_at, recent.used, recent.oldest_at
    from (select distinct a.line_id, a."to" from asked a) d
    join line_state l on l.id = d.line_id
    left join lateral (
      select p.opted_out_at, p.window_cleared_at from line_peers p where p.line_id = d.line_id and p.number = d."to" limit 1
    ) c on true
    cross join lateral (
      select count(*)::integer as used, min(t.created_at) as oldest_at from (
        select m.created_at from messages m
        where l.used > 0 and m.line_id = d.line_id and m.source = 'webhook' and m.to_number = d."to"
          and (m.send_at is null or m.is_postponed) and m.created_at > greatest(now_at - limit_window(), c.window_cleared_at)
          and m.id >= from_id
        order by m.created_at desc limit l.messages_per_number_per_minute) t
    ) recent
  ), settling as materialized (
    select a.n, a.id, a.line_id, a.scope_id, a.key, a.hash, k.message_id as known_id,
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
      where i.scope_id = a.scope_id and i.key = a.key and i.created_at > now_at - key_lifetime() limit 1
    ) k on a.key is not null
  ), firsts as (
    select distinct on (s.scope_id, s.key) s.scope_id, s.key, s.n, s.id, s.line_id, s.hash
    from settling s where s.key is not null and s.settled is null order by s.scope_id, s.key, s.n
  ), keyed as materialized (
    -- Of a repeat in the batch: the id of the first request, whether that has the same hash, and its line if it is another.
    select s.n, s.settled, s.settled is null and (s.key is null or f.n = s.n) as is_new,
      case when s.settled is null and f.n <> s.n then f.id else s.known_id end as known_id, f.hash = s.hash as is_same,
      case when s.settled is null and f.line_id <> s.line_id then f.line_id end as first_line_id
    from settling s
    left join firsts f on f.scope_id = s.scope_id and f.key = s.key
  ), placed as (
    select k.*, a.id, a.line_id, a."to", a.is_limited, a.is_later, a.source, a.again_of, a.refused, a."full",
      a.segments, a.capped, a.key, a.media,
      -- Of repeats too: one of a request on another line may turn out to be the first.
      count(*) filter (where k.settled is null) over of_line - (k.settled is null)::integer as unsettled_before,
      count(*) filter (where k.is_new and not a.is_later) over of_line - (k.is_new and not a.is_later)::integer
        as waiting_before,
      count(*) filter (where k.is_new and a.is_later) over of_line - (k.is_new and a.is_later)::integer as later_before,
      count(*) filter (where k.is_new and a.is_limited) over of_line - (k.is_new and a.is_limited)::integer as line_before,
      count(*) filter (where k.is_new and a.is_limited) over of_number - (k.is_new and a.is_limited)::integer
        as number_before
    from keyed k
    join asked a on a.n = k.n
    window of_line as (partition by a.line_id order by k.n), of_number as (partition by a.line_id, a."to" order by k.n)
  ), judged as (
    select p.n, p.id, p.line_id, p.settled, p.is_new, p.known_id, p.first_line_id, p.is_limited, p.unsettled_before,
      p.number_before, p.line_before, l.messages_per_minute, l.messages_per_number_per_minute, l.used as line_used,
      l.oldest_at as line_oldest_at, l.waiting, r.used as number_used, r.oldest_at as number_oldest_at,
      p.key is not null or p.media is not null or p.capped is true as has_more,
      case
        when p.settled is not null then p.settled
        when not p.is_new then case when p.is_same then 'replayed' else 'key_reused' end
        when p.refused then 'refused'
        when p.source = 'service' then 'accepted'
        when r.opted_out_at is not null and p.again_of is null then 'opted_out'
        when p.is_limited and (r.used + p.number_before >= l.messages_per_number_per_minute
          or l.used + p.line_before >= l.messages_per_minute) then 'rate_limited'
        when p.capped is true and p.segments > 0 and exists (
          select from spend_caps c where c.owner_id in (p.line_id, l.user_id)
            and case when c.day = today then c.used else 0 end + p.segments + (
              select coalesce(sum(b.segments), 0)
              from keyed k join asked b on b.n = k.n join line_state o on o.id = b.line_id
              where k.is_new and k.n < p.n and c.owner_id in (b.line_id, o.user_id)) > c.segments_per_day) then 'over_cap'
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
  ), fitting as materialized (
    select j.*,
      bool_and(j.outcome = 'accepted') filter (where j.is_new) over of_line and (
        bool_and(j.first_line_id is null) over of_line
        or bool_and(j.outcome = 'accepted') filter (where j.is_new) over ()) is true as fits
    from judged j
    window of_line as (partition by j.line_id)
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
    from (
      select a.*, l.user_id, l.number as from_number
      from fitting f join asked a on a.n = f.n join line_state l on l.id = a.line_id
      where f.is_new and f.fits order by a.n
    ) j
  )
  select j.n, j.outcome, case when j.outcome = 'accepted' then j.id else j.known_id end,
    jsonb_array_length(requests) = 1 or (j.fits is true or (j.unsettled_before = 0 and not j.is_new))
      and (j.settled is not null or case when j.first_line_id is null then j.fits is true
        else j.first_line_id in (select g.line_id from fitting g where g.fits) end),
    j.messages_per_number_per_minute, s.number_used, opens_ms(j.number_oldest_at, s.number_used, now_at),
    j.messages_per_minute, s.line_used, opens_ms(j.line_oldest_at, s.line_used, now_at), j.waiting,
    j.has_more and j.is_new and j.fits
  from fitting j
  cross join lateral (
    select j.number_used + (j.number_before + (j.is_limited and j.outcome = 'accepted')::integer)::integer as number_used,
      j.line_used + (j.line_before + (j.is_limited and j.outcome = 'accepted')::integer)::integer as line_used
  ) s
  order by j.n
  loop
    return next;
    if has_more then more := more || n; end if;
    -- The clock of the process that accepts it is far behind. Below the bound of what may still move, the sweep would not
    -- find it, nor would it be sent at its time.
    if outcome = 'accepted' and message_id < from_id then perform lower_live_bound('messages', message_id); end if;
  end loop;

  if cardinality(more) > 0 then perform write_more(requests, more, now_at); end if;
end $$;
