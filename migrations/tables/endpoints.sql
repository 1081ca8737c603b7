-- A URL that receives events, with its owner, its signing secrets and its health. A developer connection names the
-- one that is its line's outgoing webhook.
create table endpoints (
  id uuid primary key,
  user_id uuid not null references users (id),
  url text not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  secret_rotated_at timestamptz,
  failing_since timestamptz,
  consecutive_failure_count integer not null default 0,
  -- The reason why the last attempt failed; null if it succeeded.
  last_failure text,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'owner_disabled')),
  created_at timestamptz not null default now(),
  -- A line or an application whose URL was removed keeps its endpoint: once it has a URL again, held events can still
  -- be sent, and receivers know the signing secret.
  removed_at timestamptz,
  -- The types that it asked for, because receivers refuse types that they do not know.
  opt_in_events text[] not null default '{}',
  -- The time of the first event since it got its URL or was enabled again; null if there was none.
  called_at timestamptz,
  -- An endpoint is a lane: the number of requests that it currently gets at a time, and the time when they were last
  -- halved.
  places integer not null default 10 check (places > 0),
  slowed_at timestamptz,
  -- Events that wait for an endpoint need no time of resumption: the lane counts as idle as soon as it may be
  -- processed.
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  -- The differences from the defaults of `src/database/endpoints/policy.ts`.
  policy jsonb not null default '{}',
  -- The headers sent in each request, sealed because most are credentials.
  headers_sealed bytea,
  line_id uuid references lines (id),
  name text,
  application_id uuid references applications (id),
  -- With neither, it is an operational webhook of its user's account.
  constraint endpoints_owner_check check (num_nonnulls(line_id, application_id) < 2)
);
create index endpoints_of_application on endpoints (application_id)
  where application_id is not null and removed_at is null;
create index endpoints_of_line on endpoints (line_id, id) where line_id is not null and removed_at is null;
create index endpoints_of_account on endpoints (user_id, id)
  where line_id is null and application_id is null and removed_at is null;

create table developer_connections (
  line_id uuid primary key references lines (id) on delete cascade,
  enabled boolean not null default false,
  endpoint_id uuid unique references endpoints (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table incoming_webhooks (
  line_id uuid primary key references developer_connections (line_id) on delete cascade,
  token_hash bytea not null,
  token_sealed bytea not null,
  previous_token_hash bytea,
  previous_token_until timestamptz,
  created_at timestamptz not null default now(),
  regenerated_at timestamptz
);

create table events (
  id uuid primary key,
  user_id uuid not null,
  -- null for a notification that is not about a line. Such an event has no numbers either.
  line_id uuid,
  message_id uuid,
  type text not null,
  payload text not null,
  from_number text,
  to_number text,
  created_at timestamptz not null default now()
) partition by range (id);
create index events_message on events (message_id);
create table events_default partition of events default;

-- One event for one endpoint.
create table deliveries (
  id uuid primary key,
  user_id uuid not null,
  line_id uuid,
  event_id uuid not null,
  endpoint_id uuid not null,
  status text not null check (status in ('pending', 'delivering', 'delivered', 'exhausted', 'held')),
  -- The number of the last attempt; the next one takes this + 1 under the row's lock, so no two share it.
  attempt_count integer not null default 0,
  -- The attempts since a person last requested it, which the retry schedule counts.
  round_attempt_count integer not null default 0,
  crash_count integer not null default 0,
  last_failure text,
  created_at timestamptz not null default now(),
  -- This alone decides from when it may be tried.
  due_at timestamptz not null default now(),
  job_generation integer not null default 0,
  lease_until timestamptz,
  delivered_at timestamptz,
  -- Copied from the event, where they never change. Otherwise a list that is filtered by them would look up the event
  -- of every delivery (measured: 300 ms for a number that one in 100,000 has).
  type text not null,
  from_number text,
  -- null if the endpoint belongs to the line or its user.
  application_id uuid,
  -- How often the worker of an attempt was lost. The cause may be another row that the same process handled. A row
  -- that is lost repeatedly is tried in a separate process, and only that outcome counts as `crash_count`.
  lost_count integer not null default 0,
  -- True if its endpoint gets the events of each number one after another.
  is_ordered boolean not null default false,
  -- The last replay that sent it.
  task_id uuid
) partition by range (id);
create index deliveries_application on deliveries (application_id, id) where application_id is not null;
-- For the deliveries that end when a line is disconnected.
create index deliveries_application_waiting on deliveries (application_id, line_id)
  where application_id is not null and status in ('pending', 'held');
create index deliveries_contact on deliveries (line_id, from_number, id);
create index deliveries_event on deliveries (event_id);
create index deliveries_failed on deliveries (line_id, id) where status in ('exhausted', 'held');
create index deliveries_failure on deliveries (line_id, last_failure, id) where last_failure is not null;
create index deliveries_held on deliveries (endpoint_id, id) where status = 'held';
-- First attempts and retries, each in the order in which they are due.
create index deliveries_lane on deliveries (endpoint_id, least(round_attempt_count, 1), due_at, id)
  where status = 'pending';
create index deliveries_line on deliveries (line_id, id);
-- The activity's filters look for rare rows, and their indexes are partial: a text that succeeds, and its event,
-- write into none of them.
create index deliveries_opt_in on deliveries (line_id, type, id)
  where type in ('messageStatus', 'optOut', 'missedCall', 'lineDisconnected');
-- Contains only unfinished deliveries, so the others cost nothing.
create index deliveries_ordered on deliveries (endpoint_id, line_id, from_number, created_at, id)
  where is_ordered and status in ('pending', 'delivering');
create index deliveries_under_way on deliveries (endpoint_id) where status = 'delivering';
create table deliveries_default partition of deliveries default;

create table delivery_attempts (
  id uuid primary key,
  delivery_id uuid not null,
  attempt_number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  response_excerpt text,
  -- What went wrong with the response's body. The status decides nevertheless.
  body_failure text,
  failure text,
  next_attempt_at timestamptz,
  -- The duration of each part; null if it did not happen.
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  -- These are `json`, which keeps their order.
  request_headers json,
  response_headers json
) partition by range (id);
create index delivery_attempts_delivery on delivery_attempts (delivery_id, attempt_number);
create table delivery_attempts_default partition of delivery_attempts default;

-- The answers of programs that listen to a line's events (`linehook listen`). They are not attempts to deliver:
-- nothing waits for them, and they do not affect an endpoint.
create table listener_attempts (
  id uuid primary key,
  event_id uuid not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  failure text
) partition by range (id);
create index listener_attempts_event on listener_attempts (event_id, started_at);
create table listener_attempts_default partition of listener_attempts default;

-- Examples that `linehook trigger` made for listeners of a line, kept for an hour. They are not events of the line.
create table test_events (
  id uuid primary key,
  user_id uuid not null,
  line_id uuid not null references lines (id) on delete cascade,
  type text not null,
  payload text not null,
  from_number text not null,
  to_number text not null,
  created_at timestamptz not null default now()
);
create index test_events_line on test_events (line_id, id);
