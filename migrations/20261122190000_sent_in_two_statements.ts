import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

const NEW = [
  'lock_sending',
  'settle_messages',
  'requeue_heads',
  'announce_messages',
  'take_simulated_messages',
]

/** One statement loads and claims what is to be sent, and one settles it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop function if exists claim_messages(jsonb, interval)')
  await createFunctions(knex, ['claim_messages', ...NEW])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop function ${NEW.join(', ')}`)
}
