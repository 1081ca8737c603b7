import type { Knex } from 'knex'

/**
 * Operators disable users. What a user owns goes on, or stops and is marked, so that enabling the user brings back that, and
 * nothing that was off before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users
      add column disabled_at timestamptz,
      -- Since when what they own stands still; null: it goes on.
      add column stopped_at timestamptz;
    alter table lines add column is_stopped boolean not null default false;
    alter table endpoints
      drop constraint endpoints_disabled_reason_check,
      add constraint endpoints_disabled_reason_check check (disabled_reason in ('gone', 'failing', 'owner_disabled'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update endpoints set disabled_reason = 'gone' where disabled_reason = 'owner_disabled';
    alter table endpoints
      drop constraint endpoints_disabled_reason_check,
      add constraint endpoints_disabled_reason_check check (disabled_reason in ('gone', 'failing'));
    alter table lines drop column is_stopped;
    alter table users drop column disabled_at, drop column stopped_at;
  `)
}
