import type { Knex } from 'knex'

/**
 * An API token may end by itself, only read, and be of one line. The release before knows nothing of that; a token with a
 * scope begins with other letters than the others, so that it is refused there.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table api_tokens
      -- null: never.
      add column expires_at timestamptz,
      add column is_read_only boolean not null default false,
      -- null: of all lines, and of everything else that the user has.
      add column line_id uuid references lines (id) on delete cascade;
    create index api_tokens_line on api_tokens (line_id) where line_id is not null;
  `)
}

/** Tokens that may do less would be able to do everything: they go. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from api_tokens where is_read_only or line_id is not null;
    alter table api_tokens drop column expires_at, drop column is_read_only, drop column line_id;
  `)
}
