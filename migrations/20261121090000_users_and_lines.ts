import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table users (
      id uuid primary key,
      email text not null,
      name text not null,
      created_at timestamptz not null default now()
    );
    create unique index users_email on users (lower(email));

    create table lines (
      id uuid primary key,
      user_id uuid not null references users (id),
      number text not null unique,
      name text not null,
      carrier text not null,
      status text not null default 'active' check (status in ('active', 'disabled')),
      country text,
      -- null: every country
      allowed_countries text[],
      messages_per_number_per_minute integer not null default 5 check (messages_per_number_per_minute > 0),
      messages_per_minute integer not null default 30 check (messages_per_minute > 0),
      created_at timestamptz not null default now()
    );
    create index lines_user on lines (user_id, id);

    create table line_contacts (
      line_id uuid not null references lines (id) on delete cascade,
      number text not null,
      window_cleared_at timestamptz,
      opted_out_at timestamptz,
      primary key (line_id, number)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table line_contacts, lines, users')
}
