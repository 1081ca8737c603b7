import type { Knex } from 'knex'

/** A message that a user's own program posted with an API token came by the API, not by the console. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages drop constraint messages_source_check;
    alter table messages add constraint messages_source_check
      check (source in ('webhook', 'application', 'api', 'console', 'carrier', 'service'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update messages set source = 'console' where source = 'api';
    alter table messages drop constraint messages_source_check;
    alter table messages add constraint messages_source_check
      check (source in ('webhook', 'application', 'console', 'carrier', 'service'));
  `)
}
