import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, ['new_id'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function new_id')
}
