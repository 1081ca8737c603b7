-- Claims messages for a carrier call: queued → sending, and never before the earlier messages to the number are over. Only
-- one of many processes gets a message. The answer has everything that is needed to send it.
--
-- claims: [{id, claim, places_at, is_here}]. The caller creates the claim's id; a message may be listed twice.
-- `places_at`: for which account the message has its places in the windows that Redis keeps, where messages wait in
-- order for a full window. It needs them if its account has a pace, which only Redis keeps, or if a window would be
-- more than half full. In a window with less in it there is room for all. `is_here`: this process holds the account's
-- sessions, or nobody does.
--
-- max_age: a message that was accepted longer ago, or whose time (`send_at`) is longer ago, is no longer sent; nor is
-- one whose `expires_at` is over. look_again: after this time, the sweep checks a message that waits for an earlier
-- one or for its media, in case their worker died. held_kinds: kinds of carriers where the process that holds the
-- account's sessions sends. held_accounts: the accounts whose sessions are here.
--
-- A message goes through the first route of its line that covers its number (`routes_of`). Routes that are paused,
-- have just failed to accept this message, or are avoided come after the others. has_other_route: another one is left
-- if this one does not accept it. passed_over says why: of the routes before this one, those that were tried have the
-- reason of `settle_messages`, and the others account_paused or account_avoided. These two are of this claim only.
--
-- verdict: claimed | refused (failure says why) | unrouted (a route asks for its country) | elsewhere | early |
-- behind | without_media | stopped | paused (its conversation rests until wait_ms is over) | crowded (it needs its
-- places first) | full (wait_ms: until the line's windows have room). A message that is not in the result is claimed
-- by another worker, or has ended.
--
-- A message of an application that is no longer connected to the line is refused: disconnecting takes effect at once.
--
-- While its line, its account or all sending is paused (by a person), a message is `stopped`: `wake_messages`
-- enqueues it when the pause ends, and the sweep checks it only when it expires. The service's own replies are still
-- sent, and do not wait for paused messages.
--
-- Steps: `found` loads each queued message and says what hinders it, whatever the windows say; `candidates` have no
-- hindrance; `recent` is what their windows hold, and `counted` how many that leaves each of them; `judged` gives each its
-- verdict; `claimed` and `brought` write it down.
--
-- Claims of one line wait for each other, or two would find the same place free. They also wait for `settle_messages`: a
-- message that finds itself behind another one loses its job, and the end of the other one must see it.
--
-- status || '' keeps the planner from the partial indexes: on a table that has just filled it would read one of them from
-- end to end for every id. handed_over_at < 'infinity' keeps it from the index of a line's ids, as in `due_work`.
--
-- 50 ms: a timer may be so much early; and a wait for a full window is so much longer.
create or replace function claim_messages(
  claims jsonb, lease interval, max_age interval, look_again interval, held_kinds text[], held_accounts uuid[]
)
returns table (
  id uuid, claim uuid, verdict text, failure text, wait_ms integer, attempt integer, generation integer, line_id uuid,
  from_number text, to_number text, text text, media jsonb, age_ms double precision, account jsonb,
  number_limit integer, line_limit integer, goes_first boolean, has_other_route boolean, carrier_options jsonb,
  expires_in_ms double precision
)
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
  first_live uuid;
  now_at timestamptz;
begin
  select array_agg(x.id order by x.id) into ids from jsonb_to_recordset(claims) as x(id uuid);
  first_id := ids[1];
  last_id := ids[cardinality(ids)];
  perform lock_sending(ids);
  now_at := clock_timestamp();
  -- Under the lock: an earlier claim of the line may have lowered the bound, and then its message counts for this one.
  first_live := live_from('messages');
  if first_id < first_live then
    -- The clock of the process that accepted it was far behind. It counts in the windows of its line all the same.
    perform lower_live_bound('messages', first_id);
    first_live := first_id;
  end if;

  return query
  with sending as materialized (
    select exists (select from all_sending where is_all and paused_at is not null) as is_paused
  ), found as materialized (
    select m.id, g.claim, m.job_generation, m.line_id, m.from_number, m.to_number, m.text, m.position, m.carrier_options, m.expires_at,
      greatest(m.created_at, m.send_at) as wanted_at, (m.source = 'service' or m.error = 'throttled') is true as goes_first,
      x.media, a.account, a.has_other_route, a.passed_over, l.messages_per_minute, l.messages_per_number_per_minute, k.window_cleared_at, w.wait_ms,
      a.has_places, w.failure,
      case
        when m.to_country is null and jsonb_path_exists(l.routes, '$[*].countries') then 'unrouted'
        when w.is_paused and m.source <> 'service' and w.failure is null then 'stopped'
        when a.kind = any (held_kinds) and not a.id = any (held_accounts) and g.is_here is not true then 'elsewhere'
        when w.failure is not null then 'refused'
        when m.not_before > now_at + interval '50 milliseconds' then 'early'
        when (
          select true from messages p where p.id >= first_live and p.line_id = m.line_id and p.to_number = m.to_number
            and p.status in ('queued', 'sending') and p.position < m.position
            and not (w.is_paused and p.status = 'queued' and p.source <> 'service') limit 1) then 'behind'
        when m.media_urls is not null and x.are_stored is not true then 'without_media'
        when k.paused_until > now_at then 'paused'
        when a.has_pace and not a.has_places then 'crowded'
      end as hindrance
    from (
      select distinct on (y.id) y.* from jsonb_to_recordset(claims)
        as y(id uuid, claim uuid, places_at text, is_here boolean)
    ) g
    cross join lateral (select * from messages where id = g.id and id between first_id and last_id limit 1) m
    join lines l on l.id = m.line_id
    cross join sending
    cross join lateral (
      select case when m.passed_over is not null then (
        select jsonb_object_agg(e.key, e.value) from jsonb_each_text(m.passed_over) e
        where e.value not in ('account_paused', 'account_avoided')) end as passed_over
    ) tried
    cross join lateral (
      select c.id, c.kind, coalesce(c.messages_per_second, c.messages_per_second_per_line) is not null as has_pace,
        c.paused_at is not null as is_paused, (c.name = g.places_at) is true as has_places,
        count(*) filter (where c.paused_at is null and (tried.passed_over ? c.name) is not true) over () > 1 as has_other_route,
        case when l.routes = '[]' then tried.passed_over
          else nullif(coalesce(jsonb_object_agg(c.name, case when c.paused_at is null then 'account_avoided' else 'account_paused' end)
            filter (where c.paused_at is not null or c.avoided_until > now_at)
            over (order by r.position rows between unbounded preceding and 1 preceding), '{}') || coalesce(tried.passed_over, '{}'), '{}')
        end as passed_over,
        jsonb_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'version', c.version,
          'messagesPerSecond', c.messages_per_second,
          'messagesPerSecondPerLine', c.messages_per_second_per_line, 'isAvoided', c.avoided_count > 0) as account
      from (
        -- Nearly every line has only its own account and needs no list.
        select l.carrier, 1000::bigint as position where l.routes = '[]'
        union all
        select o.carrier, o.position from routes_of(l.carrier, l.routes, m.to_number, m.to_country) o
        where l.routes <> '[]'
      ) r
      join carrier_accounts c on c.name = r.carrier
      order by c.paused_at is not null, (tried.passed_over ? c.name) is true, (c.avoided_until > now_at) is true, r.position
      limit 1
    ) a
    left join line_peers k on k.line_id = m.line_id and k.number = m.to_number
    left join lateral (
      select jsonb_agg(jsonb_build_object('token', d.token, 'contentType', d.content_type, 'byteCount', d.byte_count)
          order by d.id) as media,
        bool_and(d.status = 'stored') as are_stored, bool_or(d.status = 'failed') as has_failed,
        min(d.failure) filter (where d.status = 'failed') as failure
      from media d where d.message_id = m.id
    ) x on m.media_urls is not null
    cross join lateral (
      select l.paused_at is not null or a.is_paused or sending.is_paused as is_paused,
        case
          when greatest(m.created_at, m.send_at) < now_at - max_age or m.expires_at <= now_at then 'expired'
          when l.status <> 'active' then 'line_disabled'
          when m.application_id is not null and not exists (
            select from application_lines p where p.application_id = m.application_id and p.line_id = m.line_id
              and may_send(p.scopes)) then 'disconnected'
          when k.opted_out_at is not null and m.id is distinct from k.opt_out_answer_id then 'opted_out'
          when x.has_failed then coalesce(x.failure, 'media_internal_error')
        end as failure,
        greatest(0, ceil(extract(epoch from greatest(m.not_before, k.paused_until) - now_at) * 1000))::integer as wait_ms
    ) w
    where m.status = 'queued'
  ), candidates as materialized (
    select f.id, f.line_id, f.to_number, f.has_places, f.position from found f where f.hindrance is null
  ), recent as materialized (
    select w.line_id, t.to_number, t.at from (select distinct c.line_id from candidates c) w cross join lateral (
      select c.to_number, c.handed_over_at as at from messages c
      where c.id >= first_live and c.line_id = w.line_id and c.handed_over_at > now_at - window_length() and c.handed_over_at < 'infinity'
    ) t
    union all
    -- Uses the index of leases, because few messages are under way, while many may wait on the line.
    select c.line_id, c.to_number, now_at from messages c
    where c.id >= first_live and c.status = 'sending' and c.lease_until > '-infinity'
      and c.line_id::text in (select line_id::text from candidates)
  ), of_lines as (
    select r.line_id, array_agg(r.at order by r.at) as times from recent r group by r.line_id
  ), of_numbers as (
    select c.id, array_agg(r.at order by r.at) as times from candidates c
    join found f on f.id = c.id
    join recent r on r.line_id = c.line_id and r.to_number = c.to_number
      and r.at > coalesce(f.window_cleared_at, '-infinity')
    group by c.id
  ), counted as materialized (
    select c.id, t.line_times, cardinality(t.number_times) as of_number, o.number_opens_ms,
      -- Messages that have their places come first. One whose number is full takes no place of the line.
      count(*) filter (where o.number_opens_ms is null)
        over (partition by c.line_id order by c.has_places desc, c.position) as nth
    from candidates c
    join found f on f.id = c.id
    left join of_lines on of_lines.line_id = c.line_id
    left join of_numbers on of_numbers.id = c.id
    cross join lateral (
      select coalesce(of_lines.times, '{}') as line_times, coalesce(of_numbers.times, '{}') as number_times
    ) t
    cross join lateral (
      select case when cardinality(t.number_times) >= f.messages_per_number_per_minute
        then opens_in_ms(t.number_times, f.messages_per_number_per_minute, now_at) end as number_opens_ms
    ) o
  ), judged as materialized (
    select f.*, o.opens_ms, case
        when f.hindrance is not null then f.hindrance
        when not f.has_places and (2 * (cardinality(c.line_times) + c.nth) > f.messages_per_minute
          or 2 * (c.of_number + 1) > f.messages_per_number_per_minute) then 'crowded'
        when o.opens_ms is not null then 'full'
        else 'claimed'
      end as verdict
    from found f
    left join counted c on c.id = f.id
    cross join lateral (
      select greatest(c.number_opens_ms, case when cardinality(c.line_times) + c.nth > f.messages_per_minute
        then opens_in_ms(c.line_times, greatest(f.messages_per_minute + 1 - c.nth::integer, 1), now_at) end) as opens_ms
    ) o
  ), claimed as (
    update messages m
    set status = 'sending', claimed_at = now_at, attempt_count = m.attempt_count + 1, claim_id = j.claim,
        lease_until = now_at + lease, carrier = j.account ->> 'name', passed_over = j.passed_over
    from judged j
    where m.id = any (ids) and m.id between first_id and last_id and m.id = j.id and j.verdict = 'claimed' and m.status || '' = 'queued'
    returning m.id, m.attempt_count
  ), brought as (
    update messages m
    set due_at = case j.verdict
      when 'stopped' then j.wanted_at + max_age
      when 'paused' then now_at + make_interval(secs => j.wait_ms / 1000.0)
      else now_at + look_again end
    from judged j
    where m.id = any (ids) and m.id between first_id and last_id and m.id = j.id and j.verdict in ('stopped', 'behind', 'without_media', 'paused')
      and m.status || '' = 'queued'
  )
  select j.id, j.claim, j.verdict, j.failure,
    case when j.verdict = 'full' then greatest(j.opens_ms, 0) + 50 else j.wait_ms end,
    c.attempt_count, j.job_generation, j.line_id, j.from_number, j.to_number, j.text, j.media,
    (extract(epoch from now_at - j.wanted_at) * 1000)::double precision, j.account,
    j.messages_per_number_per_minute, j.messages_per_minute, j.goes_first, j.has_other_route, j.carrier_options,
    (extract(epoch from j.expires_at - now_at) * 1000)::double precision
  from judged j
  left join claimed c on c.id = j.id
  where j.verdict <> 'claimed' or c.id is not null;
end $$;
