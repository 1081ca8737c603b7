-- Wakes the messages of a line that waited for the end of a pause (`claim_messages`): the first to each number gets a
-- new job now, and the sweep checks the others like all messages that wait for an earlier one. Those that wait for
-- something else keep their time.
--
-- after: the position of the last message of the batch before. The answer is in order of positions; without a
-- generation there is no job to enqueue. A message that ended while its lock was waited for is in it too: an answer with
-- fewer than max_count says that no more wait. A message that was already woken is left alone, so doing it twice does no
-- harm.
--
-- It takes the lock of `claim_messages`. So a claim that still saw the pause has written by then that its message waits.
create or replace function wake_messages(line uuid, after bigint, max_count integer, look_again interval)
returns table (id uuid, generation integer, "position" bigint)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  ids uuid[];
  firsts boolean[];
  positions bigint[];
  now_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended(line::text, 2));
  now_at := clock_timestamp();

  select array_agg(w.id), array_agg(w.is_first), array_agg(w.position) into ids, firsts, positions from (
    select m.id, m.position, x.is_first from messages m cross join lateral (
      select not exists (
        select from messages p where p.line_id = m.line_id and p.to_number = m.to_number
          and p.status in ('queued', 'sending') and p.position < m.position) as is_first
    ) x
    where m.line_id = line and m.status = 'queued' and m.position > after
      and m.due_at > greatest(case when x.is_first then now_at else now_at + look_again end, m.not_before)
    order by m.position limit max_count
  ) w;
  if ids is null then return; end if;

  -- Several are always locked in this order.
  perform from messages m where m.id = any (ids) order by m.id for no key update;

  return query
  with woken as (
    update messages m
    set job_generation = m.job_generation + (o.is_first and coalesce(m.not_before <= now_at, true))::integer,
        due_at = case when o.is_first then greatest(now_at, m.not_before) else now_at + look_again end
    from unnest(ids, firsts) as o(id, is_first)
    where m.id = any (ids) and m.id = o.id and m.status || '' = 'queued'
    returning m.id,
      case when o.is_first and coalesce(m.not_before <= now_at, true) then m.job_generation end as generation
  )
  select o.id, w.generation, o.position from unnest(ids, positions) as o(id, position)
  left join woken w on w.id = o.id order by o.position;
end $$;
