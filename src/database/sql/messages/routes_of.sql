-- The carrier accounts through which a line may send to a number, in order: its routes that cover the number, then
-- the line's own account. country: that of the number (ISO 3166).
create or replace function routes_of(carrier text, routes jsonb, "to" text, country text)
returns table (carrier text, "position" bigint)
language sql immutable as $$
  select o.carrier, min(o.position) from (
    select r.carrier, r.position
    from rows from (jsonb_to_recordset($2) as (carrier text, countries text[], prefixes text[]))
      with ordinality as r(carrier, countries, prefixes, "position")
    where (r.countries is null and r.prefixes is null) or $4 = any (r.countries)
      or exists (select from unnest(r.prefixes) as p(prefix) where starts_with($3, p.prefix))
    union all
    select $1, 1000
  ) o
  group by o.carrier
$$;
