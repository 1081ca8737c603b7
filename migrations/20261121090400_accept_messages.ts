import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, ['opens_in_ms'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function opens_in_ms')
}
