import type { Knex } from 'knex'

/** A carrier is asked what became of a message whose outcome is unknown, a few times at growing intervals. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- For how many steps of the schedule (domain/messages/reconcile.ts) it has been asked.
    alter table messages add column carrier_asked_count integer not null default 0;
    create index messages_unknown on messages (claimed_at) where status = 'unknown';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index messages_unknown;
    alter table messages drop column carrier_asked_count;
  `)
}
