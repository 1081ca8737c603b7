import type { Knex } from 'knex'

/** What the simulator carrier has taken: its own memory, as a real carrier has one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table simulator_outbox (
      carrier_message_id uuid primary key,
      message_id uuid not null,
      from_number text not null,
      to_number text not null,
      text text,
      media_url text,
      taken_at timestamptz not null default clock_timestamp(),
      receipt_sent_at timestamptz
    );
    create index simulator_outbox_number on simulator_outbox (to_number, carrier_message_id);
    create index simulator_outbox_receipts on simulator_outbox (carrier_message_id) where receipt_sent_at is null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table simulator_outbox')
}
