-- An account at a carrier, with its credentials. Each line belongs to one.
create table carrier_accounts (
  id uuid primary key,
  -- Lines and the carrier's ids of their messages refer to it, so it never changes.
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  kind text not null,
  -- JSON, sealed to the id; null if the kind has no settings.
  settings_sealed bytea,
  -- From the settings: the national tables that its texts may use, because they affect the number of segments.
  languages text[] not null default '{}',
  -- The number of changes: a process whose carrier was made from older settings makes it again.
  version integer not null default 1,
  -- null if only the line's own windows limit it.
  messages_per_second real check (messages_per_second > 0),
  messages_per_second_per_line real check (messages_per_second_per_line > 0),
  -- True if the carrier answers STOP, START and HELP, so that Linehook does not.
  handles_opt_out boolean not null default false,
  created_at timestamptz not null default now(),
  -- null if it was not tested since the settings were changed.
  last_tested_at timestamptz,
  -- In words; null if the test succeeded.
  last_test_fault text,
  -- The version of the settings that the last test used.
  last_tested_version integer,
  -- Everything that the carrier got before this time has been taken in; null if it was never asked.
  received_until timestamptz,
  -- With this, only one of any number of processes asks.
  received_asked_at timestamptz,
  -- Everything handed over before this time has its price, if the carrier has one; and the time when it was last
  -- asked.
  priced_until timestamptz,
  prices_asked_at timestamptz,
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  resumed_at timestamptz,
  -- After failures, lines with another route avoid it until this time; and the number of failures since it last
  -- accepted a message.
  avoided_until timestamptz,
  avoided_count integer not null default 0,
  -- The time of the first of these failures; and the time when it accepted a message again, or was resumed. Messages
  -- that wait for its next try are then woken (`wake_unreached`).
  failing_since timestamptz,
  recovered_at timestamptz,
  -- The phones that it sends with and that have reported: {id: {contactAt, awayAfterMs, batteryPercent?,
  -- isCharging?}}.
  phones jsonb not null default '{}',
  -- With this, only one of any number of processes asks for their state.
  phones_asked_at timestamptz
);
insert into carrier_accounts (id, name, kind) values (gen_random_uuid(), 'simulator', 'simulator');

-- Requests of carriers that were not understood. They may contain what people wrote.
create table unclear_callbacks (
  id uuid primary key,
  account_id uuid not null references carrier_accounts (id) on delete cascade,
  -- The digest of everything in the request, so that a repeat is counted instead of stored again.
  digest bytea not null,
  -- The one of our URLs that was called.
  name text not null,
  -- The part that was not understood, in words.
  why text not null,
  method text not null,
  -- The query without our secret, which some URLs have.
  query text not null,
  content_type text not null,
  -- It is at most as long as a callback may be.
  body bytea not null,
  count integer not null default 1,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  unique (account_id, digest)
);
create index unclear_callbacks_last on unclear_callbacks (account_id, last_at desc);

-- The process that holds an account's sessions at its carrier, and the state of the sessions. Only one process holds
-- them, because an SMSC may allow only one session. The lease uses the clock of Postgres, and another process takes
-- over when it is not renewed.
create table carrier_sessions (
  account_id uuid primary key references carrier_accounts (id) on delete cascade,
  -- The id that the process gave itself.
  holder_id uuid not null,
  lease_until timestamptz not null,
  -- The version of the settings that they were opened with; null if none is open yet.
  version integer,
  bound_count integer not null default 0,
  -- The number of sessions that there should be.
  session_count integer not null default 0,
  -- The time since which this many have been bound.
  changed_at timestamptz not null default clock_timestamp(),
  -- The last reason why one was not bound, in words.
  last_error text,
  last_error_at timestamptz,
  -- More about open sessions in words, such as the network of a modem.
  details text,
  -- A secret that was tried and has not worked, such as the PIN of a SIM card, which must not be tried twice; sealed to the
  -- account's id.
  tried_sealed bytea
);

-- Ids are unique across all partitions here, which an index on messages could not ensure. A carrier may count what it
-- takes and what it delivers separately, so an id that it gave to a message of ours says nothing about an inbound one.
create table carrier_message_ids (
  carrier text not null,
  carrier_message_id text not null,
  message_id uuid not null,
  created_at timestamptz not null default now(),
  is_inbound boolean not null default false,
  primary key (carrier, carrier_message_id, is_inbound)
);

-- An SMSC that has reset its counter gives out the same ids again. `carrier_message_ids` keeps the first message of
-- an id; the later ones are here. There are few, if any, and all are outbound: an inbound message with an id that
-- came before is a repeat.
create table carrier_message_ids_again (
  carrier text not null,
  carrier_message_id text not null,
  message_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (carrier, carrier_message_id, message_id)
);

-- What SMSCs have delivered. A deliver_sm has no id, so a repeat (after an answer that was lost with the connection)
-- is recognized by its content. This applies only until the SMSC has certainly read the answer: from then on, the
-- same content is another message, and the row is deleted.
create table smpp_inbound (
  -- The id of the arrival.
  id uuid primary key,
  -- The digest of the account and of everything in the request except the sequence number.
  digest bytea not null,
  -- The session in which it arrived last.
  session_id uuid not null,
  created_at timestamptz not null default clock_timestamp()
);
create index smpp_inbound_created on smpp_inbound (created_at);
create index smpp_inbound_digest on smpp_inbound (digest);

-- Parts of long texts, until all have arrived or no more are expected.
create table smpp_parts (
  -- The id of the arrival.
  id uuid primary key,
  carrier text not null,
  from_number text not null,
  to_number text not null,
  reference integer not null,
  total integer not null,
  number integer not null,
  -- The bytes as they arrived, because parts are decoded together: an escape may be in one part and its character in
  -- the next.
  text bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  -- The coding of the text.
  coding text not null
);
create index smpp_parts_created on smpp_parts (created_at);
create index smpp_parts_message on smpp_parts (carrier, from_number, to_number, reference, total);
