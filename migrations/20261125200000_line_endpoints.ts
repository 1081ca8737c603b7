import type { Knex } from 'knex'

/**
 * Endpoints that a line has beside its outgoing webhook URL: they say whose they are themselves. The index has only these, so
 * that a line without any costs one look at a page.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table endpoints
      add column line_id uuid references lines (id),
      add column name text;
    create index endpoints_of_line on endpoints (line_id, id) where line_id is not null and removed_at is null;
  `)
}

/** They stay as rows of nobody: nothing is delivered to them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index endpoints_of_line; alter table endpoints drop column line_id, drop column name')
}
