import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * Big tables are partitioned by month over their UUIDv7 key: a month is a range of ids, and retention is a DROP.
 * `maintenance` calls ensure_partitions ahead of time; a row for a month that nobody made goes to the default
 * partition rather than being refused. Such a month stays there: a partition can no longer be made for it.
 */
export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, ['lowest_id_at', 'ensure_partitions'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function ensure_partitions; drop function lowest_id_at')
}
