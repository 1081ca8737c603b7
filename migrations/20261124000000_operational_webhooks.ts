import type { Knex } from 'knex'

/** Each user may have notices about what is theirs posted to a URL of their own, beside the one of the installation. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table operational_webhooks (
      user_id uuid primary key references users on delete cascade,
      url text not null,
      secret_sealed bytea not null,
      created_at timestamptz not null default clock_timestamp()
    );
    alter table dispatches
      drop constraint dispatches_kind_check,
      -- A kind of its own: the release before takes every 'webhook' for the installation's.
      add constraint dispatches_kind_check check (kind in ('mail', 'webhook', 'own_webhook', 'reset_link'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from dispatches where kind = 'own_webhook';
    alter table dispatches
      drop constraint dispatches_kind_check,
      add constraint dispatches_kind_check check (kind in ('mail', 'webhook', 'reset_link'));
    drop table operational_webhooks;
  `)
}
