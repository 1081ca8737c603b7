-- Where lines live: an account at a carrier, with its credentials.
create table carrier_accounts (
  id uuid primary key,
  -- Lines name it, and so do the ids that its messages have there; it never changes.
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  kind text not null,
  -- JSON, sealed to the id; null: the kind has no settings.
  settings_sealed bytea,
  -- Of the settings: the national tables that its texts may be sent with, because they count in segments.
  languages text[] not null default '{}',
  -- Counts changes: a process that made a carrier of older settings makes it again.
  version integer not null default 1,
  -- null: as fast as the line's own windows let it.
  messages_per_second real check (messages_per_second > 0),
  messages_per_second_per_line real check (messages_per_second_per_line > 0),
  -- STOP, START and HELP are answered by the carrier, and not by us too.
  handles_opt_out boolean not null default false,
  created_at timestamptz not null default now(),
  -- null: not since the settings were written.
  last_tested_at timestamptz,
  -- In words; null: it worked.
  last_test_fault text,
  -- Which settings the last test was of.
  last_tested_version integer,
  -- All that the carrier got before is in. null: it was never asked.
  received_until timestamptz,
  -- So that of any number of processes one asks.
  received_asked_at timestamptz,
  -- All that was handed over before has its price, as far as the carrier has one; and when it was asked last.
  priced_until timestamptz,
  prices_asked_at timestamptz,
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  resumed_at timestamptz,
  -- Lines that have another route do not send by it until then, because it failed them; and how often it has since it last
  -- took a message.
  avoided_until timestamptz,
  avoided_count integer not null default 0,
  -- The phones that it sends by, as far as they were heard of: {id: {contactAt, awayAfterMs, batteryPercent?, isCharging?}}.
  phones jsonb not null default '{}',
  -- So that of any number of processes one asks how they are.
  phones_asked_at timestamptz
);
insert into carrier_accounts (id, name, kind) values (gen_random_uuid(), 'simulator', 'simulator');

-- What carriers have sent that nobody understood. It is theirs, so what is in it is what people wrote.
create table unclear_callbacks (
  id uuid primary key,
  account_id uuid not null references carrier_accounts (id) on delete cascade,
  -- Of all that the carrier said: a repeat counts, and is no second row.
  digest bytea not null,
  -- Which of our URLs was called.
  name text not null,
  -- What is not understood, in words.
  why text not null,
  method text not null,
  -- Without the secret of ours that some URLs have.
  query text not null,
  content_type text not null,
  -- At most as long as a callback may be.
  body bytea not null,
  count integer not null default 1,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  unique (account_id, digest)
);
create index unclear_callbacks_last on unclear_callbacks (account_id, last_at desc);

-- Who holds an account's sessions at its carrier, and how they are. One process of all: an SMSC may allow one session
-- only. The lease is by the clock of Postgres, and another process takes over what is not renewed.
create table carrier_sessions (
  account_id uuid primary key references carrier_accounts (id) on delete cascade,
  -- The process, by an id that it gives itself.
  holder_id uuid not null,
  lease_until timestamptz not null,
  -- Which settings of the account they were opened with; null: none yet.
  version integer,
  bound_count integer not null default 0,
  -- How many there should be.
  session_count integer not null default 0,
  -- Since when so many are bound.
  changed_at timestamptz not null default clock_timestamp(),
  -- Why one is not bound, or was not the last time, in words.
  last_error text,
  last_error_at timestamptz
);

-- Unique over all partitions, which an index on messages could not be.
create table carrier_message_ids (
  carrier text not null,
  carrier_message_id text not null,
  message_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (carrier, carrier_message_id)
);

-- An SMSC whose counter has begun anew gives ids again that it has given before. `carrier_message_ids` stays with the
-- first message of an id, because inbound messages are told from their repeats by it. The later ones are here: few, if
-- any.
create table carrier_message_ids_again (
  carrier text not null,
  carrier_message_id text not null,
  message_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (carrier, carrier_message_id, message_id)
);

-- What SMSCs have brought. A deliver_sm has no id: one that comes again, because its answer was lost with the
-- connection, is told by what is in it. Only until the SMSC has certainly read the answer, because from then on the
-- same words are another message; a row is deleted at that moment.
create table smpp_inbound (
  -- Of the arrival.
  id uuid primary key,
  -- Of the account and of all that the SMSC said but the sequence number.
  digest bytea not null,
  -- The one that it came by last.
  session_id uuid not null,
  created_at timestamptz not null default clock_timestamp()
);
create index smpp_inbound_created on smpp_inbound (created_at);
create index smpp_inbound_digest on smpp_inbound (digest);

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
  -- As it came, because parts are decoded together: an escape may be in one part and its character in the next.
  text bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Of the text.
  coding text not null
);
create index smpp_parts_created on smpp_parts (created_at);
create index smpp_parts_message on smpp_parts (carrier, from_number, to_number, reference, total);
