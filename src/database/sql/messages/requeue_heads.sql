-- Gives the first message of each conversation a new job, now, if it is queued. conversations: [{line_id, to_number}].
--
-- This has to be a statement after the one that ended the message before, never a part of it. While that statement runs,
-- the next message may be committed, find itself behind and lose its job, and that statement would not see it.
--
-- It never waits while it holds a row, because another process may hold one of several messages and want another (measured:
-- a deadlock in every fourth run of a stress test). Messages that are locked are in the answer without a generation; the
-- caller waits for them afterwards, one by one.
create or replace function requeue_heads(conversations jsonb) returns table (id uuid, generation integer)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  heads uuid[];
  free uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_head uuid;
  last_head uuid;
  first_live uuid := live_from('messages');
begin
  select array_agg(head.id order by head.id) into heads from (
    select distinct x.line_id, x.to_number from jsonb_to_recordset(conversations) as x(line_id uuid, to_number text)
  ) c cross join lateral (
    select p.id, p.status from messages p where p.id >= first_live and p.line_id = c.line_id and p.to_number = c.to_number
      and p.status in ('queued', 'sending') order by p.position limit 1
  ) head where head.status = 'queued';
  if heads is null then return; end if;
  first_head := heads[1];
  last_head := heads[cardinality(heads)];

  select array_agg(f.id) into free
  from (select m.id from messages m where m.id = any (heads) and m.id between first_head and last_head for update skip locked) f;

  return query
  with requeued as (
    update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
    where m.id = any (free) and m.id between first_head and last_head and m.status || '' = 'queued'
    returning m.id, m.job_generation
  )
  select h.id, r.job_generation from unnest(heads) as h(id) left join requeued r on r.id = h.id;
end $$;
