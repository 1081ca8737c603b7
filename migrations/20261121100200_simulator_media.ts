import type { Knex } from 'knex'

/** What the simulator's phones have attached: its own memory, as a real carrier hosts inbound media. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table simulator_media (
      -- Not hashed: the messages that carry the URL have it in them.
      token text primary key,
      content_type text not null,
      bytes bytea not null check (octet_length(bytes) < 5000000),
      created_at timestamptz not null default now()
    );
    create index simulator_media_age on simulator_media (created_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table simulator_media')
}
