-- Creates the `messageStatus` events of messages whose state has changed, through `announce_events`. An unchanged
-- state creates none. If nobody asked for them, this only reads the endpoints of the lines.
--
-- changed: [{id, user_id, line_id, from_number, to_number, status, error, carrier_code, carrier_reason, client_ref,
-- price, currency, charge, status_before}]. `carrier_reason` is the meaning of the code, if the carrier gave one now,
-- and `charge` the cost that it reported now, which `note_charges` writes later.
create or replace function announce_messages(changed jsonb) returns jsonb
language plpgsql volatile as $$
declare
  asking uuid[];
begin
  select array_agg(o.line_id) into asking
  from endpoints_of_lines(array(select distinct c.line_id from jsonb_to_recordset(changed) as c(line_id uuid))) o
  where 'messageStatus' = any (o.opt_in_events);
  if asking is null then
    return '[]';
  end if;
  return (
    select announce_events(coalesce(jsonb_agg(jsonb_build_object(
      'event_id', new_id(), 'user_id', c.user_id, 'line_id', c.line_id, 'message_id', c.id, 'type', 'messageStatus',
      'payload', row_to_json(p)::text, 'from', c.to_number, 'to', c.from_number)), '[]'))
    from jsonb_to_recordset(changed) as c(id uuid, user_id uuid, line_id uuid, from_number text, to_number text,
      status text, error text, carrier_code text, carrier_reason text, client_ref text, price text, currency text, charge jsonb, status_before text)
    cross join lateral (
      select c.id as "messageId", c.status, c.error, c.carrier_code as "carrierCode",
        c.carrier_reason as "carrierReason", c.client_ref as "clientRef",
        coalesce(c.charge ->> 'price', c.price) as price,
        case when c.charge ->> 'price' is null then c.currency else c.charge ->> 'currency' end as currency) p
    where c.line_id = any (asking) and c.status <> c.status_before and c.status in ('sent', 'delivered', 'failed', 'unknown'));
end $$;
