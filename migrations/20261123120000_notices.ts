import type { Knex } from 'knex'

/**
 * What people are told of without asking (`src/domain/operating/notices`). `notice_causes` keeps what is wrong now and when it was told
 * last, so that of any number of processes one tells it, and none again within an hour. `notices` is what was told: it is for
 * the user whose line or application it is about, and for operators. `dispatches` are the ways out, each with its next try:
 * mails, the operational webhook, and links to set a new password.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notice_causes (
      kind text not null,
      -- What it is about: an id, or the name of a queue.
      subject text not null,
      -- Since when it has been seen without a break.
      since timestamptz not null default clock_timestamp(),
      told_at timestamptz,
      -- How far it was told: more of the same is told of once more.
      told_mark text,
      -- null: it goes on.
      ended_at timestamptz,
      primary key (kind, subject)
    );
    create index notice_causes_open on notice_causes (kind) where ended_at is null;

    create table notices (
      id uuid primary key,
      kind text not null,
      subject text not null,
      -- Whose line or application it is about; null: of the service as a whole.
      user_id uuid references users on delete cascade,
      at timestamptz not null default clock_timestamp(),
      details jsonb not null
    );
    create index notices_user on notices (user_id, id);

    create table dispatches (
      id uuid primary key,
      kind text not null check (kind in ('mail', 'webhook', 'reset_link')),
      notice_id uuid references notices on delete cascade,
      -- Who gets it; null: the operational webhook.
      user_id uuid references users on delete cascade,
      status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed')),
      attempt_count integer not null default 0,
      due_at timestamptz not null default clock_timestamp(),
      last_failure text,
      settled_at timestamptz,
      check ((notice_id is null) = (kind = 'reset_link')),
      check ((user_id is null) = (kind = 'webhook'))
    );
    create index dispatches_due on dispatches (kind, due_at) where status = 'waiting';
    create index dispatches_notice on dispatches (notice_id);
    create index dispatches_user on dispatches (user_id, settled_at);

    alter table users
      add column notice_mails text not null default 'all' check (notice_mails in ('all', 'own', 'none')),
      -- The newest notice that they have read.
      add column notices_read_id uuid;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users drop column notice_mails, drop column notices_read_id;
    drop table dispatches;
    drop table notices;
    drop table notice_causes;
  `)
}
