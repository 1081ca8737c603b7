-- Records how claimed messages ended, and gives the next message to each number a new job. A result that comes after
-- the end of its lease still counts (unknown → sent), unless there is a later claim. If a receipt was faster, the
-- result only adds the carrier's id. Doing it twice does no harm.
--
-- settlements: [{id, claim, status, error, carrier, carrierMessageId, carrierPartIds, carrierCode, carrierReason, dueInMs, uncounted, passedOver, charge}]. For
-- `queued`: when to try again; uncounted: the carrier was not really asked; passedOver: why this carrier account is passed over
-- for the line's next route. Without it all were tried, and the next try begins with the first. If a message is given back (queued) and a later one to
-- the number was handed over after its claim, it stays `unknown`, because it would come out of order.
--
-- charge: what `note_charges` takes beside the id. It is called only where there is a price.
--
-- requeued: [{id, generation}] as `requeue_heads` says; deliveries: those of `announce_messages`.
--
-- It runs under the lock of `claim_messages`, and each statement sees what was committed before it. So the statement that
-- brings the next message sees one that has found itself behind.
create or replace function settle_messages(settlements jsonb) returns table (requeued jsonb, deliveries jsonb)
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
  first_live uuid;
  changed jsonb;
begin
  select array_agg(x.id order by x.id) into ids from jsonb_to_recordset(settlements) as x(id uuid);
  first_id := ids[1];
  last_id := ids[cardinality(ids)];
  perform lock_sending(ids);
  first_live := live_from('messages');
  if first_id < first_live then
    -- The worker of an old message was suspended for hours. If it gives the message back, the sweep has to find it.
    perform lower_live_bound('messages', first_id);
    first_live := first_id;
  end if;

  with given as materialized (
    select * from jsonb_to_recordset(settlements) as x(id uuid, claim uuid, status text, error text, carrier text,
      "carrierMessageId" text, "carrierPartIds" text[], "carrierCode" text, "carrierReason" text, "dueInMs" integer, uncounted boolean, "passedOver" text,
      charge jsonb)
  ), before as materialized (
    -- Several are always locked in this order.
    select m.id, m.status, m.status in ('sending', 'unknown') as is_open from messages m
    where m.id = any (ids) and m.id between first_id and last_id order by m.id for no key update
  ), settled as (
    update messages m
    set status = case when b.is_open then g.status else m.status end,
        error = case when b.is_open then g.error else m.error end,
        carrier_code = case when b.is_open then g."carrierCode" else m.carrier_code end,
        carrier_reason = case when b.is_open then g."carrierReason" else m.carrier_reason end,
        carrier_message_id = coalesce(g."carrierMessageId", m.carrier_message_id),
        carrier_part_ids = coalesce(g."carrierPartIds", m.carrier_part_ids),
        carrier_segment_count = coalesce((g.charge ->> 'segmentCount')::integer, m.carrier_segment_count),
        lease_until = null,
        -- A claim that is given back has no error: nothing was tried.
        passed_over = case when not b.is_open or g.status <> 'queued' or g.error is null then m.passed_over
          when g."passedOver" is not null
            then coalesce(m.passed_over, '{}') || jsonb_build_object(g.carrier, g."passedOver") end,
        -- If the carrier may have seen the message, it has seen it by now.
        handed_over_at = case when not b.is_open then m.handed_over_at
          when g.status <> 'queued' then clock_timestamp() end,
        sent_at = case when g.status = 'sent' then coalesce(m.sent_at, clock_timestamp()) else m.sent_at end,
        due_at = clock_timestamp() + make_interval(secs => coalesce(g."dueInMs", 0) / 1000.0),
        not_before = clock_timestamp() + make_interval(secs => g."dueInMs" / 1000.0),
        attempt_count = m.attempt_count - (g.uncounted is true and b.is_open)::integer
    from given g join before b on b.id = g.id
    -- The condition on ids is needed: with the record set alone, the planner reads the whole table for a handful of rows.
    where m.id = any (ids) and m.id between first_id and last_id and m.id = g.id and m.claim_id = g.claim
      and (b.is_open or b.status in ('sent', 'delivered', 'failed'))
      and not case when g.status = 'queued' and b.status = 'unknown' then
        exists (select 1 from messages p where p.id >= first_live and p.line_id = m.line_id and p.handed_over_at > m.claimed_at and p.handed_over_at < 'infinity'
          and p.to_number = m.to_number and p.position > m.position)
        or exists (select 1 from messages p where p.id >= first_live and p.status = 'sending' and p.lease_until > '-infinity'
          and p.line_id = m.line_id and p.to_number = m.to_number and p.position > m.position)
        else false end
    returning m.id, m.user_id, m.line_id, m.from_number, m.to_number, m.status, m.error, m.carrier_code,
      case when b.is_open then g."carrierReason" end as carrier_reason, m.client_ref,
      m.price::text as price, m.currency, g.charge, b.status as status_before
  )
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into changed from settled s;

  perform note_carrier_ids(jsonb_agg(jsonb_build_object(
    'carrier', x.carrier, 'carrier_message_id', i.carrier_message_id, 'message_id', x.id)))
  from jsonb_to_recordset(settlements) as x(id uuid, carrier text, "carrierMessageId" text, "carrierPartIds" text[])
  cross join lateral unnest(x."carrierPartIds" || x."carrierMessageId") as i(carrier_message_id)
  where i.carrier_message_id is not null having count(*) > 0;

  if jsonb_path_exists(settlements, '$[*].charge.price') then
    perform note_charges(jsonb_agg(x.charge || jsonb_build_object('id', x.id)))
    from jsonb_to_recordset(settlements) as x(id uuid, charge jsonb) where x.charge ? 'price';
  end if;

  return query
  select coalesce((
      select jsonb_agg(jsonb_build_object('id', h.id, 'generation', h.generation))
      from requeue_heads(jsonb_path_query_array(changed, '$[*] ? (@.status != "queued")')) h
    ), '[]'), announce_messages(changed);
end $$;
