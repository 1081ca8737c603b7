-- Takes in a batch of messages that carriers have delivered: message, event, deliveries, and what the line knows of
-- each sender, in one transaction. inbound: [{n, id, event_id, delivery_id, carrier, carrier_id, from, to, type,
-- event_type, text, media: [{id, event_id, event_type, token, purpose, url, source_url}], account_id,
-- account_version}] in order of arrival, and with what `claim_inbound` needs to recognize a repeat. The ids are made
-- where the message arrived, so that they tell the order of arrival. event_type is for the text, or is omitted if
-- there are only media; each of the media has its own event. account_id, account_version: the remembered account
-- whose secret has checked the signature; the line must be at that account.
--
-- outcome: received | repeat (earlier_id: of the SMPP arrival that it repeats) | account_changed (its signature may
-- not be valid, so nothing else is returned). A message that is not in the result is for no line. A message from a
-- number that the line's user has blocked (`contacts`) is kept, and makes no event. Any other makes its conversation
-- unread, and brings it back from the archive. deliveries: those that may go out now. is_waited_for: something waits
-- to be sent to the sender, or is on its way.
--
-- It first locks what identifies repeats, then the rows of `line_peers`, each kind always in the same order. Locks of
-- lines (`lock_line`) have to be taken before.
--
-- A sender's window starts anew unless line and sender are paused (`ping_pong_pause`). `ping_pong_after` is called only if
-- more messages than `ping_pong_limit` have come in a minute. `heard_at` has the times of the last ones, one more than that.
create or replace function receive_messages(inbound jsonb)
returns table (
  n integer, outcome text, earlier_id uuid, line_id uuid, deliveries jsonb,
  is_paused boolean, has_paused boolean, is_waited_for boolean
)
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  members jsonb := inbound;
  outdated integer[];
  repeated record;
  repeats integer[] := '{}';
  first_live uuid := live_from('messages');
  now_at timestamptz;
begin
  if jsonb_path_exists(inbound, '$[*].account_id') then
    select array_agg(x.n) into outdated
    from jsonb_to_recordset(inbound) as x(n integer, account_id uuid, account_version integer)
    left join lateral (select version from carrier_accounts where id = x.account_id limit 1) a on true
    where x.account_id is not null and a.version is distinct from x.account_version;
    if outdated is not null then
      return query select x.at, 'account_changed', null::uuid, null::uuid, null::jsonb, null::boolean, null::boolean,
        null::boolean from unnest(outdated) as x(at);
      select coalesce(jsonb_agg(m.value), '[]') into members
      from jsonb_array_elements(inbound) m where (m.value ->> 'n')::integer <> all (outdated);
    end if;
  end if;

  select coalesce(jsonb_agg(m.value || jsonb_build_object('line_id', l.id, 'user_id', l.user_id,
      'is_blocked', (
        select true from contacts c
        where c.number = m.value ->> 'from' and c.user_id = l.user_id and c.blocked_at is not null limit 1) is true)), '[]')
  into members
  from jsonb_array_elements(members) m
  cross join lateral (
    select id, user_id from lines
    where number = m.value ->> 'to' and (m.value ->> 'account_id' is null or is_line_at(carrier, routes, m.value ->> 'carrier')) limit 1
  ) l;

  for repeated in select * from claim_inbound(members) loop
    n := repeated.n; outcome := 'repeat'; earlier_id := repeated.earlier_id;
    repeats := repeats || repeated.n;
    return next;
  end loop;
  if cardinality(repeats) > 0 then
    select coalesce(jsonb_agg(m.value), '[]') into members
    from jsonb_array_elements(members) m where (m.value ->> 'n')::integer <> all (repeats);
  end if;

  -- Their events are sent when they are copied (domain/media/settle.ts).
  if jsonb_path_exists(members, '$[*].media') then
    insert into media (id, user_id, line_id, message_id, event_id, purpose, source_url, carrier, token)
    select x.id, a.user_id, a.line_id, a.id, x.event_id, x.purpose, x.source_url, a.carrier, x.token
    from jsonb_to_recordset(members) as a(id uuid, user_id uuid, line_id uuid, carrier text, media jsonb)
    cross join lateral jsonb_to_recordset(a.media) as x(id uuid, event_id uuid, purpose text, source_url text, token text)
    where a.media is not null;
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select x.event_id, a.user_id, a.line_id, a.id, x.event_type, x.url, a."from", a."to"
    from jsonb_to_recordset(members) as a(n integer, id uuid, user_id uuid, line_id uuid, "from" text, "to" text,
      is_blocked boolean, media jsonb)
    cross join lateral jsonb_to_recordset(a.media) as x(event_id uuid, event_type text, url text)
    where a.media is not null and not a.is_blocked order by a.n, x.event_id;
  end if;

  now_at := clock_timestamp();
  return query
  with asked as materialized (
    select x.*, row_number() over (partition by x.line_id, x."from" order by x.n) as nth
    from jsonb_to_recordset(members) as x(
      n integer, id uuid, event_id uuid, user_id uuid, line_id uuid, carrier text, carrier_id text, "from" text, "to" text,
      type text, event_type text, text text, media jsonb, is_blocked boolean)
  ), senders as materialized (
    select s.line_id, s."from", s.count, s.first_shown_id, c.paused_until > now_at is true as was_paused,
      case when recent.count + s.count > ping_pong_limit() then ping_pong_after(s.line_id, s."from", now_at) end as pauses_at,
      (
        select true from messages p where p.id >= first_live and p.line_id = s.line_id and p.to_number = s."from"
          and p.status in ('queued', 'sending') order by p.position limit 1
      ) is true as is_waited_for
    from (
      select a.line_id, a."from", count(*)::integer as count,
        (array_agg(a.id order by a.n) filter (where not a.is_blocked))[1] as first_shown_id
      from asked a group by a.line_id, a."from") s
    left join lateral (
      select k.heard_at, k.paused_until from line_peers k
      where k.line_id = s.line_id and k.number = s."from" limit 1
    ) c on true
    cross join lateral (
      select count(*) as count from unnest(c.heard_at) as h(at) where h.at > now_at - limit_window()
    ) recent
  ), peers as (
    insert into line_peers as c (line_id, number, window_cleared_at, heard_at, paused_until, unread_id)
    select s.line_id, s."from", case when s.pauses_at = 1 then null else now_at end,
      array_fill(now_at, array[least(s.count, ping_pong_limit() + 1)]),
      case when s.pauses_at <= s.count then now_at + ping_pong_pause() end, s.first_shown_id
    from senders s order by s.line_id, s."from"
    on conflict (line_id, number) do update set
      window_cleared_at = case when c.paused_until > now_at then c.window_cleared_at
        else greatest(c.window_cleared_at, excluded.window_cleared_at) end,
      heard_at = case when c.paused_until > now_at then c.heard_at
        else (c.heard_at || excluded.heard_at)[
          greatest(cardinality(c.heard_at) + cardinality(excluded.heard_at) - ping_pong_limit(), 1):] end,
      paused_until = case when c.paused_until > now_at then c.paused_until
        else coalesce(excluded.paused_until, c.paused_until) end,
      unread_id = coalesce(c.unread_id, excluded.unread_id),
      archived_at = case when excluded.unread_id is null then c.archived_at end
    returning line_id, number, paused_until > now_at is true as is_paused,
      paused_until = now_at + ping_pong_pause() is true as has_paused
  ), new_messages as (
    insert into messages (id, user_id, line_id, direction, source, type, from_number, to_number, text, media_urls,
      status, carrier_message_id)
    select a.id, a.user_id, a.line_id, 'inbound', 'carrier', a.type, a."from", a."to", a.text,
      case when a.media is not null then array(select jsonb_path_query(a.media, '$[*].url') #>> '{}') end,
      'received', a.carrier_id
    from (select * from asked order by asked.n) a
  ), new_events as (
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select a.event_id, a.user_id, a.line_id, a.id, a.event_type, coalesce(a.text, ''), a."from", a."to"
    from asked a where a.event_type is not null and not a.is_blocked order by a.n
  ), delivered as (
    select d.event_id, jsonb_agg(jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'generation', 0)) as list
    from create_deliveries(case when jsonb_path_exists(members, '$[*] ? (!exists(@.event_type) || @.is_blocked == true)')
      then jsonb_path_query_array(members, '$[*] ? (exists(@.event_type) && @.is_blocked == false)') else members end, null) d
    group by d.event_id
  )
  select a.n, 'received', null::uuid, a.line_id, coalesce(d.list, '[]'),
    c.is_paused and (s.was_paused or coalesce(a.nth >= s.pauses_at, true)),
    coalesce(c.has_paused and a.nth = s.pauses_at, false), s.is_waited_for
  from asked a
  join senders s on s.line_id = a.line_id and s."from" = a."from"
  join peers c on c.line_id = a.line_id and c.number = a."from"
  left join delivered d on d.event_id = a.event_id;
end $$;
