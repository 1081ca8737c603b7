-- Claims messages for a carrier call: queued → sending, and never before the earlier messages to the number are
-- over. Of any number of processes one gets it. Claims of one line wait for each other, or two would find the same
-- place free. claims: [{id, claim}], the claim's id made by who claims; an id may stand there twice.
--
-- opens_ms: null for what is claimed now; else the line's windows are full, and have room again after so long. What
-- is not in the answer is somebody else's, or not first to its number.
--
-- status || '' keeps the planner from the partial indexes: on a table that has just filled it would walk one of them
-- from end to end for every id.
create or replace function claim_messages(claims jsonb, lease interval)
returns table (id uuid, claim uuid, attempt integer, opens_ms integer)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  l record;
  ids uuid[];
begin
  select array_agg(x.id) into ids from jsonb_to_recordset(claims) as x(id uuid);
  for l in select distinct hashtextextended(m.line_id::text, 2) as lock from messages m where m.id = any (ids) order by 1 loop
    perform pg_advisory_xact_lock(l.lock);
  end loop;

  return query
  with candidates as (
    select m.id, m.line_id, m.to_number, m.position from messages m
    where m.id = any (ids) and m.status || '' = 'queued' and not exists (
      select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
        and p.status in ('queued', 'sending') and p.position < m.position)
  ), recent as materialized (
    select w.line_id, t.to_number, t.at from (select distinct line_id from candidates) w cross join lateral (
      select c.to_number, c.handed_over_at as at from messages c
      where c.line_id = w.line_id and c.handed_over_at > clock_timestamp() - window_length()
    ) t
    union all
    -- By the index of leases: all that are on their way are few, and all that wait on a line may be many.
    select c.line_id, c.to_number, clock_timestamp() from messages c
    where c.status = 'sending' and c.lease_until > '-infinity'
      and c.line_id::text in (select line_id::text from candidates)
  ), judged as (
    select c.id, greatest(
      case when cardinality(of_line.times) + c.nth > l.messages_per_minute
        then opens_in_ms(of_line.times, greatest(l.messages_per_minute + 1 - c.nth::integer, 1), clock_timestamp()) end,
      case when cardinality(of_number.times) >= l.messages_per_number_per_minute
        then opens_in_ms(of_number.times, l.messages_per_number_per_minute, clock_timestamp()) end) as opens_ms
    from (select *, row_number() over (partition by line_id order by position) as nth from candidates) c
    join lines l on l.id = c.line_id
    left join line_contacts k on k.line_id = c.line_id and k.number = c.to_number
    cross join lateral (
      select coalesce(array_agg(r.at order by r.at), '{}') as times from recent r where r.line_id = c.line_id
    ) of_line
    cross join lateral (
      select coalesce(array_agg(r.at order by r.at), '{}') as times from recent r
      where r.line_id = c.line_id and r.to_number = c.to_number
        and r.at > coalesce(k.window_cleared_at, '-infinity')
    ) of_number
  ), claimed as (
    update messages m
    set status = 'sending', claimed_at = clock_timestamp(), attempt_count = m.attempt_count + 1,
        claim_id = g.claim, lease_until = clock_timestamp() + lease
    from judged j join (
      select distinct on (x.id) x.id, x.claim from jsonb_to_recordset(claims) as x(id uuid, claim uuid)
    ) g on g.id = j.id
    where m.id = any (ids) and m.id = j.id and j.opens_ms is null and m.status || '' = 'queued'
    returning m.id, m.claim_id, m.attempt_count
  )
  select c.id, c.claim_id, c.attempt_count, null::integer from claimed c
  union all
  select j.id, null::uuid, null::integer, greatest(j.opens_ms, 0) + 50 from judged j where j.opens_ms is not null;
end $$;
