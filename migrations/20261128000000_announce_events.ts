import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/** One way to make events that endpoints ask for. */
export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, ['announce_events'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function if exists announce_events')
}
