-- Claims what distinguishes a message from its repeats, for a batch, and returns the messages that were delivered
-- before. By default that is the carrier's id (`carrier`, `carrier_id`) among those of inbound messages. For a text of SMPP it is its arrival
-- (`digest`, see `take_smpp_arrivals`); for a long text it is its parts (`parts`, their ids), and the process that
-- takes them creates the message.
--
-- Each kind is always locked in the same order, so that concurrent batches cannot deadlock.
create or replace function claim_inbound(members jsonb) returns table (n integer, earlier_id uuid)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  long_text record;
begin
  if jsonb_path_exists(members, '$[*].digest') then
    return query select a.n, a.earlier_id from take_smpp_arrivals(members) a where a.earlier_id is not null;
  end if;

  if jsonb_path_exists(members, '$[*].parts') then
    perform 1 from smpp_parts p where p.id = any (array(
      select (part.id #>> '{}')::uuid from jsonb_path_query(members, '$[*].parts[*]') as part(id)
    )) order by p.id for update;
    for long_text in
      select x.n, x.parts from jsonb_to_recordset(members) as x(n integer, parts uuid[])
      where x.parts is not null order by x.n
    loop
      -- Takes all parts or none.
      delete from smpp_parts p where p.id = any (long_text.parts) and cardinality(long_text.parts) = (
        select count(*) from smpp_parts q where q.id = any (long_text.parts));
      if not found then
        n := long_text.n; earlier_id := null;
        return next;
      end if;
    end loop;
  end if;

  return query
  with asked as materialized (
    select x.* from jsonb_to_recordset(members) as x(
      n integer, id uuid, carrier text, carrier_id text, digest text, parts jsonb)
    where x.digest is null and x.parts is null
  ), claimed as (
    insert into carrier_message_ids (carrier, carrier_message_id, message_id, is_inbound)
    select a.carrier, a.carrier_id, a.id, true from asked a order by a.carrier, a.carrier_id, a.n
    on conflict do nothing
    returning message_id
  )
  select a.n, null::uuid from asked a where a.id not in (select c.message_id from claimed c);
end $$;
