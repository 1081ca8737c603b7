import type { Knex } from 'knex'

/** A migration of its own: this reads the whole table, and must not hold the lock of the one before meanwhile. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table messages validate constraint messages_status_check')
}

/** The same constraint as it was before anybody had looked. */
export async function down(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ definition: string }] }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint
     where conrelid = 'messages'::regclass and conname = 'messages_status_check'`,
  )
  await knex.raw(`
    alter table messages drop constraint messages_status_check;
    alter table messages add constraint messages_status_check ${rows[0].definition} not valid;
  `)
}
