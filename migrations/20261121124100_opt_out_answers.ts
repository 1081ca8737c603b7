import type { Knex } from 'knex'

/** What the service itself answers to STOP, START and HELP, and conversations that rest because two programs write. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages drop constraint messages_source_check;
    alter table messages add constraint messages_source_check
      check (source in ('webhook', 'application', 'console', 'carrier', 'service'));
    alter table line_contacts
      -- When the number last took an opt-out back.
      add column opted_in_at timestamptz,
      -- The one message that may still go to a number that has opted out: it confirms that.
      add column opt_out_answer_id uuid,
      add column help_answered_at timestamptz,
      add column paused_until timestamptz;
    create index line_contacts_opted_out on line_contacts (line_id, number) where opted_out_at is not null;
    create index line_contacts_paused on line_contacts (line_id, paused_until) where paused_until is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index line_contacts_paused, line_contacts_opted_out;
    alter table line_contacts drop column opted_in_at, drop column opt_out_answer_id, drop column help_answered_at,
      drop column paused_until;
    alter table messages drop constraint messages_source_check;
    update messages set source = 'console' where source = 'service';
    alter table messages add constraint messages_source_check
      check (source in ('webhook', 'application', 'console', 'carrier'));
  `)
}
