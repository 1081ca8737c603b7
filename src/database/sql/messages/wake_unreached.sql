-- Makes messages due that wait for the next try of their carrier, because an account through which they may go answers
-- again: the oldest first, and each gets a new job. It does not matter which account of their line has failed. Those that
-- wait for something else, such as a limit or a carrier that asked to wait, do not have this error.
--
-- claimed_before: messages that were tried later keep their time. So a message that still fails is woken once for each
-- recovery. The order of messages to a number stays as it is: those after the first one wait for it without a time.
create or replace function wake_unreached(account text, claimed_before timestamptz, max_count integer)
returns table (id uuid, generation integer)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
begin
  -- Another process may settle a message, or wake it. It never waits for one, so the order of locks does not matter.
  select array_agg(w.id order by w.id) into ids from (
    select m.id from messages m join lines l on l.id = m.line_id
    where m.status = 'queued' and m.error = 'carrier_unavailable' and m.not_before > clock_timestamp()
      and m.claimed_at < claimed_before and is_line_at(l.carrier, l.routes, account)
      and (l.routes = '[]'
        or exists (select from routes_of(l.carrier, l.routes, m.to_number, m.to_country) r where r.carrier = account))
    order by m.position limit max_count for update of m skip locked
  ) w;
  if ids is null then return; end if;
  first_id := ids[1];
  last_id := ids[cardinality(ids)];

  return query
  update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
  where m.id = any (ids) and m.id between first_id and last_id and m.status || '' = 'queued'
  returning m.id, m.job_generation;
end $$;
