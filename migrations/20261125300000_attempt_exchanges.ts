import type { Knex } from 'knex'

/**
 * What an attempt sent and got, and how long each part of it took; null: there was none, or the row is older than this. The
 * headers are `json`, since their order is kept.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table delivery_attempts
      add column dns_ms integer,
      add column connect_ms integer,
      add column tls_ms integer,
      add column first_byte_ms integer,
      add column request_headers json,
      add column response_headers json;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table delivery_attempts
      drop column dns_ms, drop column connect_ms, drop column tls_ms, drop column first_byte_ms,
      drop column request_headers, drop column response_headers;
  `)
}
