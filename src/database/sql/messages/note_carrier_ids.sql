-- Records the carriers' ids of outbound messages, so that their receipts are matched. ids: [{carrier,
-- carrier_message_id, message_id}]. An id that another message already has was given out again by the carrier: it is
-- recorded for both, and a lookup takes the newest. Doing it twice does no harm.
create or replace function note_carrier_ids(ids jsonb) returns void
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  insert into carrier_message_ids (carrier, carrier_message_id, message_id)
  select x.carrier, x.carrier_message_id, x.message_id
  from jsonb_to_recordset(ids) as x(carrier text, carrier_message_id text, message_id uuid)
  order by x.carrier, x.carrier_message_id, x.message_id
  on conflict do nothing;

  insert into carrier_message_ids_again (carrier, carrier_message_id, message_id)
  select x.carrier, x.carrier_message_id, x.message_id
  from jsonb_to_recordset(ids) as x(carrier text, carrier_message_id text, message_id uuid)
  where not exists (
    select 1 from carrier_message_ids c where c.carrier = x.carrier and c.carrier_message_id = x.carrier_message_id
      and not c.is_inbound and c.message_id = x.message_id)
  order by x.carrier, x.carrier_message_id, x.message_id
  on conflict do nothing;
end $$;
