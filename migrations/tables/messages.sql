create sequence message_positions;

-- What was sent and received.
create table messages (
  id uuid primary key,
  user_id uuid not null,
  line_id uuid not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  source text not null check (source in ('webhook', 'application', 'api', 'console', 'carrier', 'service')),
  from_number text not null,
  to_number text not null,
  text text,
  -- In order: what its sender named, or our copies of what was received; null: it has none.
  media_urls text[],
  status text not null
    check (status in ('queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'received', 'scheduled')),
  error text,
  carrier_message_id text,
  attempt_count integer not null default 0,
  -- How often an attempt of this row alone ended its process.
  crash_count integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- When a queued message should be worked on; later than now while it waits for a slot or a retry.
  due_at timestamptz not null default clock_timestamp(),
  -- Which of its jobs is the current one: a job id is remembered while its key lives, so a new job needs a new id.
  job_generation integer not null default 0,
  lease_until timestamptz,
  sent_at timestamptz,
  type text not null default 'text' check (type in ('text', 'media', 'voicemail')),
  -- The message that a person sent again with this one.
  again_of uuid,
  claimed_at timestamptz,
  receipt_at timestamptz,
  application_id uuid,
  -- The carrier's own code beside a failure, such as Twilio's 30003.
  carrier_code text,
  -- What that code meant when it came: the account's settings may know codes that no table does.
  carrier_reason text,
  -- For how many steps of the schedule (domain/messages/reconcile.ts) it has been asked.
  carrier_asked_count integer not null default 0,
  -- The order of acceptance, which is given by the transaction that accepts, under the line's lock; ids come from the
  -- clocks of web processes, which differ.
  position bigint not null default nextval('message_positions'),
  -- Made by who claims: a claim whose answer was lost can be given back all the same.
  claim_id uuid,
  -- When it had certainly reached its carrier. It counts in the sending windows (contract §3) from its claim until 60 s
  -- after this, so that in no 60 s the carrier sees more than the limit.
  handed_over_at timestamptz,
  -- Until when it waits, by Postgres's clock. A job is only a call to look at it, so one that comes early does nothing;
  -- `due_at` is when the sweep looks whether a job is coming at all.
  not_before timestamptz,
  -- null, unless it was accepted for later. Until then it is `scheduled`, a state of its own, so that nothing that
  -- looks at the queue sees it.
  send_at timestamptz,
  expires_at timestamptz,
  client_ref text,
  -- The account by which it was last handed over.
  carrier text,
  -- The accounts that certainly did not take it, since all were last tried: {name: reason}.
  passed_over jsonb,
  -- ISO 3166, '' for a number of no country. It is there only if a route of the line asks for it.
  to_country text,
  -- What the sender says to the carrier besides, by names that the carrier account knows: {name: text}.
  carrier_options jsonb,
  -- Into how many segments it is cut, as we count, and as its carrier has counted.
  segment_count integer,
  carrier_segment_count integer,
  -- What the carrier says that it costs, in whole units of the currency (ISO 4217).
  price numeric check (price >= 0),
  currency text,
  check ((price is null) = (currency is null))
) partition by range (id);
-- The webhook's limits are counted over these rows (reliability §2).
create index messages_accepted on messages (line_id, created_at) where source = 'webhook';
create index messages_client_ref on messages (client_ref, line_id, id) where client_ref is not null;
-- Whoever is at the other end, whichever way the message went.
create index messages_contact on messages (
  line_id, (case direction when 'outbound' then to_number else from_number end), id);
create index messages_due on messages (due_at) where status = 'queued';
create index messages_expiring on messages (expires_at)
  where expires_at is not null and status in ('queued', 'scheduled');
-- What people look for, among all that went well.
create index messages_failed on messages (line_id, id) where status in ('failed', 'unknown');
create index messages_handed_over on messages (line_id, handed_over_at) where handed_over_at is not null;
create index messages_leased on messages (lease_until) where status = 'sending';
create index messages_line on messages (line_id, id);
create index messages_media on messages (line_id, id) where type <> 'text';
-- With the second condition, which is always true, no list of a line’s messages is read by walking what is due in all.
create index messages_scheduled on messages (due_at) where status = 'scheduled' and send_at is not null;
create index messages_scheduled_line on messages (line_id, id) where status = 'scheduled';
-- Who is first in line for a number, and how many wait on a line.
create index messages_unfinished on messages (line_id, to_number, position) where status in ('queued', 'sending');
create index messages_unknown on messages (claimed_at) where status = 'unknown';
create table messages_default partition of messages default;

-- What carriers say that texts cost, in sum. A message is of the month (UTC) in which it was handed over. It is kept after
-- the messages themselves are dropped for their age.
create table spending (
  line_id uuid not null,
  user_id uuid not null,
  month date not null,
  currency text not null,
  message_count integer not null,
  amount numeric not null,
  primary key (line_id, month, currency)
);
create index spending_user on spending (user_id, month);

create table idempotency_keys (
  scope_id uuid not null,
  key text not null,
  request_hash bytea not null,
  message_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (scope_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Copies of media, ours: of what a line is asked to send, and of what a carrier hosts for what it received.
create table media (
  id uuid primary key,
  user_id uuid not null,
  line_id uuid not null,
  message_id uuid not null,
  -- The event that tells of it; null: a line sends it.
  event_id uuid,
  purpose text not null check (purpose in ('outbound', 'inbound', 'voicemail')),
  source_url text not null,
  -- The account whose credentials may be shown to the host of source_url; null: nobody's.
  carrier text,
  -- Not hashed: the messages and events that carry the URL have it in them.
  token text not null unique,
  status text not null default 'pending' check (status in ('pending', 'fetching', 'stored', 'failed')),
  failure text,
  content_type text,
  byte_count integer,
  width integer,
  height integer,
  storage_key text,
  -- The number of the last attempt; an attempt's result belongs to this number only.
  attempt_count integer not null default 0,
  -- Attempts since a person last asked for it, which the backoff counts.
  round_attempt_count integer not null default 0,
  crash_count integer not null default 0,
  job_generation integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  stored_at timestamptz,
  -- When its file was deleted.
  removed_at timestamptz,
  lost_count integer not null default 0
);
create index media_due on media (due_at) where status = 'pending';
create index media_kept on media (stored_at) where status = 'stored' and removed_at is null;
create index media_leased on media (lease_until) where status = 'fetching';
create index media_message on media (message_id);
