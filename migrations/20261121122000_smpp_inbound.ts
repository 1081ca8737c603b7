import type { Knex } from 'knex'

/**
 * What SMSCs have brought. A deliver_sm has no id: one that comes again, because its answer was lost with the
 * connection, is told by what is in it. Only until the SMSC has certainly read the answer, because from then on the
 * same words are another message; a row is deleted at that moment.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table smpp_inbound (
      -- Of the arrival.
      id uuid primary key,
      -- Of the account and of all that the SMSC said but the sequence number.
      digest bytea not null,
      -- The one that it came by last.
      session_id uuid not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index smpp_inbound_digest on smpp_inbound (digest);
    create index smpp_inbound_created on smpp_inbound (created_at);

    -- Parts of long texts, until all are there or no more come.
    create table smpp_parts (
      -- Of the arrival.
      id uuid primary key,
      carrier text not null,
      from_number text not null,
      to_number text not null,
      reference integer not null,
      total integer not null,
      number integer not null,
      -- UTF-16: a character may be cut in two.
      text bytea not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index smpp_parts_message on smpp_parts (carrier, from_number, to_number, reference, total);
    create index smpp_parts_created on smpp_parts (created_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table smpp_parts;
    drop table smpp_inbound;
  `)
}
