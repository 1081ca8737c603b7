create table lines (
  id uuid primary key,
  user_id uuid not null references users (id),
  number text not null unique,
  name text not null,
  carrier text not null references carrier_accounts (name),
  -- Further accounts that it may send by, in order: [{carrier, countries, prefixes}], countries by ISO 3166, prefixes with
  -- a plus sign; with neither it takes all numbers. What no route takes goes by `carrier`.
  routes jsonb not null default '[]',
  status text not null default 'active' check (status in ('active', 'disabled')),
  country text,
  -- Short codes that it may text, which may cost what premium numbers do; null: none.
  short_codes text[],
  -- null: every country
  allowed_countries text[],
  messages_per_number_per_minute integer not null default 5 check (messages_per_number_per_minute > 0),
  messages_per_minute integer not null default 30 check (messages_per_minute > 0),
  created_at timestamptz not null default now(),
  -- `paused_by`: the user; null: the command line. `resumed_at`: what waited for the end of a pause has still to be
  -- brought (`wake_messages`).
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  resumed_at timestamptz,
  is_stopped boolean not null default false,
  -- null: none. The row of the line is compared when a message is accepted, so a pause counts at once, in every
  -- process.
  paused_countries text[]
);
-- Which lines an account has.
create index lines_carrier on lines (carrier);
create index lines_routes on lines using gin (routes jsonb_path_ops);
create index lines_paused on lines (id) where paused_at is not null;
create index lines_resumed on lines (id) where resumed_at is not null;
create index lines_user on lines (user_id, id);

create table api_tokens (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- null: never.
  expires_at timestamptz,
  is_read_only boolean not null default false,
  -- null: of all lines, and of everything else that the user has.
  line_id uuid references lines (id) on delete cascade
);
create index api_tokens_line on api_tokens (line_id) where line_id is not null;
create index api_tokens_user on api_tokens (user_id, id);

-- A peer is a number at the other end. It refers to its line as messages and events do, without a foreign key: a line is never deleted, and the check
-- locked the line’s row for every number that writes for the first time (a third of what a text costs Postgres).
create table line_peers (
  line_id uuid not null,
  number text not null,
  window_cleared_at timestamptz,
  opted_out_at timestamptz,
  -- When the number last took an opt-out back.
  opted_in_at timestamptz,
  -- The one message that may still go to a number that has opted out: it confirms that.
  opt_out_answer_id uuid,
  help_answered_at timestamptz,
  paused_until timestamptz,
  -- When the number has written to the line, the last eleven times. More than ten in a minute are looked at.
  heard_at timestamptz[] not null default '{}',
  -- The first message that came in since anybody last read the conversation. null: it is read. It stays the same while more come in, so
  -- that the row's updates remain heap-only.
  unread_id uuid,
  -- Null again with the next message that comes in.
  archived_at timestamptz,
  primary key (line_id, number)
);
create index line_peers_archived on line_peers (line_id, archived_at) where archived_at is not null;
create index line_peers_opted_out on line_peers (line_id, number) where opted_out_at is not null;
create index line_peers_paused on line_peers (line_id, paused_until) where paused_until is not null;
create index line_peers_unread on line_peers (line_id, unread_id) where unread_id is not null;
