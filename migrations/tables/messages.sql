create sequence message_positions;

-- Messages that were sent and received.
create table messages (
  id uuid primary key,
  user_id uuid not null,
  line_id uuid not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  source text not null check (source in ('webhook', 'application', 'api', 'console', 'carrier', 'service')),
  from_number text not null,
  to_number text not null,
  text text,
  -- In order: the URLs that the sender gave, or our copies of what was received; null without media.
  media_urls text[],
  status text not null
    check (status in ('queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'received', 'scheduled')),
  error text,
  carrier_message_id text,
  -- The ids of the parts before the last, if the carrier takes the parts of a text one by one.
  carrier_part_ids text[],
  attempt_count integer not null default 0,
  -- How often an attempt of this row alone ended its process.
  crash_count integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- When a queued message should be processed; in the future while it waits for a slot or a retry.
  due_at timestamptz not null default clock_timestamp(),
  -- The number of its current job. Redis remembers a job id while its key exists, so a new job needs a new id.
  job_generation integer not null default 0,
  lease_until timestamptz,
  sent_at timestamptz,
  type text not null default 'text' check (type in ('text', 'media', 'voicemail')),
  -- The message that this one resends.
  again_of uuid,
  claimed_at timestamptz,
  receipt_at timestamptz,
  application_id uuid,
  -- The carrier's own code for a failure, such as Twilio's 30003.
  carrier_code text,
  -- The meaning of that code when it arrived, because the account's settings may define codes that no table has.
  carrier_reason text,
  -- The number of steps of the schedule (domain/messages/reconcile.ts) in which the carrier was asked.
  carrier_asked_count integer not null default 0,
  -- The order of acceptance, which the accepting transaction assigns under the line's lock. Ids come from the clocks
  -- of web processes, which differ.
  position bigint not null default nextval('message_positions'),
  -- Created by the worker that claims, so that it can give back a claim whose answer was lost.
  claim_id uuid,
  -- The time when it had certainly reached its carrier. It counts in the sending windows (contract §3) from its claim
  -- until 60 s after this, so that the carrier never sees more than the limit in 60 s.
  handed_over_at timestamptz,
  -- The time until which it waits, by Postgres's clock. A job only checks it, so one that runs early does nothing;
  -- `due_at` is when the sweep checks whether there is a job at all.
  not_before timestamptz,
  -- null unless it was accepted for later. Until then it is `scheduled`, a separate state, so that nothing that reads
  -- the queue finds it.
  send_at timestamptz,
  -- True if it was accepted to be sent at once and got its time later. It counts in the webhook's windows nevertheless.
  is_postponed boolean,
  expires_at timestamptz,
  client_ref text,
  -- The account to which it was last handed over.
  carrier text,
  -- The accounts that certainly did not accept it since all were last tried: {name: reason}.
  passed_over jsonb,
  -- ISO 3166, or '' for a number without a country. It is set only if a route of the line needs it.
  to_country text,
  -- The sender's options for the carrier, under names that the carrier account knows: {name: text}.
  carrier_options jsonb,
  -- The number of segments by our count, and by its carrier's count.
  segment_count integer,
  carrier_segment_count integer,
  -- The price reported by the carrier, in whole units of the currency (ISO 4217).
  price numeric check (price >= 0),
  currency text,
  check ((price is null) = (currency is null))
) partition by range (id);
-- The webhook's limits are counted over these rows (reliability §2).
create index messages_accepted on messages (line_id, created_at) where source = 'webhook';
create index messages_client_ref on messages (client_ref, line_id, id) where client_ref is not null;
-- For the number at the other end, in both directions.
create index messages_contact on messages (
  line_id, (case direction when 'outbound' then to_number else from_number end), id);
create index messages_due on messages (due_at) where status = 'queued';
create index messages_expiring on messages (expires_at)
  where expires_at is not null and status in ('queued', 'scheduled');
-- For failures, which people look for among many successes.
create index messages_failed on messages (line_id, id) where status in ('failed', 'unknown');
create index messages_handed_over on messages (line_id, handed_over_at) where handed_over_at is not null;
create index messages_leased on messages (lease_until) where status = 'sending';
create index messages_line on messages (line_id, id);
create index messages_media on messages (line_id, id) where type <> 'text';
-- For messages that were rescheduled again and again (`counting.ts`). There are few.
create index messages_postponed on messages (handed_over_at)
  where handed_over_at is not null and send_at - created_at > interval '30 days';
-- The second condition is always true. It keeps the planner from reading a line's messages by walking everything that
-- is due.
create index messages_scheduled on messages (due_at) where status = 'scheduled' and send_at is not null;
create index messages_scheduled_line on messages (line_id, id) where status = 'scheduled';
-- For the first message to a number, and the number of messages waiting on a line.
create index messages_unfinished on messages (line_id, to_number, position) where status in ('queued', 'sending');
create index messages_unknown on messages (claimed_at) where status = 'unknown';
-- For messages that wait until their carrier is tried again. There are none while all carriers work.
create index messages_unreached on messages (not_before) where status = 'queued' and error = 'carrier_unavailable';
create table messages_default partition of messages default;

-- The total costs that carriers reported. A message belongs to the month (UTC) in which it was handed over. The rows
-- are kept after the messages themselves are deleted because of their age.
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

-- Our copies of media: of those that a line is to send, and of those that a carrier hosts for received messages.
create table media (
  id uuid primary key,
  user_id uuid not null,
  line_id uuid not null,
  message_id uuid not null,
  -- The event about it; null if a line sends it.
  event_id uuid,
  purpose text not null check (purpose in ('outbound', 'inbound', 'voicemail')),
  source_url text not null,
  -- The account whose credentials may be sent to the host of source_url; null for none.
  carrier text,
  -- It is not hashed, because the messages and events that contain the URL have it anyway.
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
  -- The attempts since a person last requested it, which the backoff counts.
  round_attempt_count integer not null default 0,
  crash_count integer not null default 0,
  job_generation integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  stored_at timestamptz,
  -- The time when its file was deleted.
  removed_at timestamptz,
  lost_count integer not null default 0
);
create index media_due on media (due_at) where status = 'pending';
create index media_failing on media (line_id, id) where failure is not null and status <> 'stored';
create index media_kept on media (stored_at) where status = 'stored' and removed_at is null;
create index media_leased on media (lease_until) where status = 'fetching';
create index media_message on media (message_id);

-- Files that came in a form: pictures for a message, and what the simulator's phones attached, as a real carrier hosts
-- inbound media. They are kept as long as the messages of their month.
create table uploads (
  -- It is not hashed, because the messages that contain the URL have it anyway.
  token text primary key,
  content_type text not null,
  bytes bytea not null check (octet_length(bytes) < 5000000),
  created_at timestamptz not null default now()
);
create index uploads_age on uploads (created_at);
