import type { Knex } from 'knex'

/**
 * Big tables are partitioned by month over their UUIDv7 key: a month is a range of ids, and retention is a DROP.
 * `maintenance` calls ensure_partitions ahead of time; a row for a month that nobody made goes to the default
 * partition rather than being refused. Such a month stays there: a partition can no longer be made for it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function lowest_id_at(moment timestamptz) returns uuid language sql stable as $$
      select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$;

    create function ensure_partitions(parent text, first_month date, months integer) returns integer
    language plpgsql as $$
    declare
      month_start timestamptz;
      partition text;
      created integer := 0;
    begin
      -- Two processes may come at the same time.
      perform pg_advisory_xact_lock(hashtextextended('ensure_partitions ' || parent, 0));
      for i in 0 .. months - 1 loop
        month_start := (date_trunc('month', first_month::timestamp) + make_interval(months => i)) at time zone 'UTC';
        partition := parent || to_char(month_start at time zone 'UTC', '_YYYYMM');
        if to_regclass(partition) is null then
          begin
            execute format('create table %I partition of %I for values from (%L) to (%L)', partition, parent,
              lowest_id_at(month_start), lowest_id_at((month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC'));
            created := created + 1;
          exception when check_violation then
            raise warning 'rows of % are in the default partition already', partition;
          end;
        end if;
      end loop;
      return created;
    end $$;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function ensure_partitions; drop function lowest_id_at')
}
