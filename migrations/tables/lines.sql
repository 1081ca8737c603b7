create table lines (
  id uuid primary key,
  user_id uuid not null references users (id),
  number text not null unique,
  name text not null,
  carrier text not null references carrier_accounts (name),
  -- Other accounts that it may send through, in order: [{carrier, countries, prefixes}], with ISO 3166 countries and
  -- prefixes with a plus sign; with neither, for all numbers. Messages that no route covers go through `carrier`.
  routes jsonb not null default '[]',
  status text not null default 'active' check (status in ('active', 'disabled')),
  country text,
  -- The short codes that it may text, which may cost as much as premium numbers; null for none.
  short_codes text[],
  -- null for every country
  allowed_countries text[],
  messages_per_number_per_minute integer not null default 5 check (messages_per_number_per_minute > 0),
  messages_per_minute integer not null default 30 check (messages_per_minute > 0),
  created_at timestamptz not null default now(),
  -- `paused_by`: the user; null for the command line. `resumed_at`: messages that waited for the end of a pause still
  -- have to be enqueued (`wake_messages`), and events that were held while it was disabled still have to be released.
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  resumed_at timestamptz,
  is_stopped boolean not null default false,
  -- Set while messages that waited when it was disabled still have to end.
  disabled_at timestamptz,
  -- null for none. The row of the line is compared when a message is accepted, so a pause applies immediately, in
  -- every process.
  paused_countries text[]
);
-- For the lines of an account.
create index lines_carrier on lines (carrier);
create index lines_routes on lines using gin (routes jsonb_path_ops);
create index lines_paused on lines (id) where paused_at is not null;
create index lines_resumed on lines (id) where resumed_at is not null;
create index lines_disabled on lines (id) where disabled_at is not null;
create index lines_user on lines (user_id, id);

create table api_tokens (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- null if it does not expire.
  expires_at timestamptz,
  is_read_only boolean not null default false,
  -- null for all lines, and everything else that the user has.
  line_id uuid references lines (id) on delete cascade
);
create index api_tokens_line on api_tokens (line_id) where line_id is not null;
create index api_tokens_user on api_tokens (user_id, id);

-- A peer is a number at the other end. It refers to its line as messages and events do, without a foreign key: a line
-- is never deleted, and the check would lock the line's row for every number that writes for the first time (a third
-- of what a text costs Postgres).
create table line_peers (
  line_id uuid not null,
  number text not null,
  window_cleared_at timestamptz,
  opted_out_at timestamptz,
  -- The time when the number last opted back in.
  opted_in_at timestamptz,
  -- The only message that may still go to a number that has opted out: the confirmation.
  opt_out_answer_id uuid,
  help_answered_at timestamptz,
  paused_until timestamptz,
  -- The last eleven times when the number wrote to the line. More than ten in a minute are suspicious.
  heard_at timestamptz[] not null default '{}',
  -- The first message received since someone last read the conversation; null if it is read. It stays the same while
  -- more arrive, so that the row's updates remain heap-only.
  unread_id uuid,
  -- The next message that arrives resets it to null.
  archived_at timestamptz,
  primary key (line_id, number)
);
create index line_peers_archived on line_peers (line_id, archived_at) where archived_at is not null;
create index line_peers_opted_out on line_peers (line_id, number) where opted_out_at is not null;
create index line_peers_paused on line_peers (line_id, paused_until) where paused_until is not null;
create index line_peers_unread on line_peers (line_id, unread_id) where unread_id is not null;
