-- Records the costs and segment counts that carriers report, and updates the sums of `spending`. A later report on
-- the same message replaces the earlier one. Doing it twice does no harm.
--
-- charges: [{id, price, currency, segmentCount}], the last of several for one message counting. `price` is exact, and beside a
-- currency; each part may be missing.
--
-- A writer of `spending` first locks the rows of the messages, and writes its lines always in the same order.
create or replace function note_charges(charges jsonb) returns void
language plpgsql volatile set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  ids uuid[];
begin
  select array_agg((c.value ->> 'id')::uuid) into ids from jsonb_array_elements(charges) c;

  with given as materialized (
    select distinct on (x.id) x.* from (
      select g.*, c.ordinality as n from jsonb_array_elements(charges) with ordinality c
      cross join lateral jsonb_to_record(c.value) as g(id uuid, price numeric, currency text, "segmentCount" integer)
    ) x order by x.id, x.n desc
  ), before as materialized (
    select m.id, m.price, m.currency from messages m
    where m.id = any (ids) and m.direction = 'outbound' order by m.id for no key update
  ), noted as (
    update messages m
    set price = coalesce(g.price, m.price), currency = case when g.price is null then m.currency else g.currency end,
        carrier_segment_count = coalesce(g."segmentCount", m.carrier_segment_count)
    from given g join before b on b.id = g.id
    where m.id = any (ids) and m.id = g.id
      and (g.price is not null and (g.price, g.currency) is distinct from (m.price, m.currency)
        or g."segmentCount" is distinct from m.carrier_segment_count and g."segmentCount" is not null)
    returning m.line_id, m.user_id, m.price, m.currency, b.price as price_before, b.currency as currency_before,
      date_trunc('month', coalesce(m.handed_over_at, m.created_at) at time zone 'UTC')::date as month
  ), moved as (
    select n.line_id, n.user_id, n.month, n.currency, 1 as messages, n.price as amount from noted n
    where n.price is not null
    union all
    select n.line_id, n.user_id, n.month, n.currency_before, -1, -n.price_before from noted n
    where n.price_before is not null
  )
  insert into spending as s (line_id, user_id, month, currency, message_count, amount)
  select v.line_id, min(v.user_id::text)::uuid, v.month, v.currency, sum(v.messages), sum(v.amount)
  from moved v group by v.line_id, v.month, v.currency
  having sum(v.messages) <> 0 or sum(v.amount) <> 0
  order by v.line_id, v.month, v.currency
  on conflict (line_id, month, currency) do update
  set message_count = s.message_count + excluded.message_count, amount = s.amount + excluded.amount;
end $$;
