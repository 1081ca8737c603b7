-- The pause of all sending. There is one row.
create table all_sending (
  is_all boolean primary key default true check (is_all),
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  resumed_at timestamptz
);
insert into all_sending default values;

-- No row with a lower id moves by itself any more: messages are sent or have failed, deliveries are delivered, held or given
-- up. Years of both may be kept, and without a bound each statement of the hot paths would open every month.
create table live_bounds (
  parent text primary key,
  id uuid not null,
  -- What `raise_live_bounds` has found last, and makes the bound an hour later.
  next_id uuid not null,
  found_at timestamptz not null default '-infinity'
);
insert into live_bounds (parent, id, next_id)
  select parent, lowest_id_at('-infinity'), lowest_id_at('-infinity') from unnest(array['messages', 'deliveries']) parent;
create trigger deliveries_keep_live after update of status on deliveries
  for each row when (old.status not in ('pending', 'delivering') and new.status = 'pending')
  execute function keep_live('deliveries');

-- Who did what to what. Rows are only added: triggers refuse everything else, even for the role that owns the table.
-- A month is a partition, and dropping it is the only way to delete rows. There are no foreign keys, because the
-- subject of a row may be gone.
create table audit_log (
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  actor_kind text not null,
  -- The user who did it, or for whom an application did.
  actor_id uuid,
  -- The session, API token or application that was used.
  credential_id uuid,
  -- The origin: an IP address or, for the command line, the account of the operating system and its machine.
  address text,
  action text not null,
  subject_id uuid,
  -- The owner of the data; null if it has no single owner.
  user_id uuid,
  before jsonb,
  after jsonb
) partition by range (id);
create index audit_log_action on audit_log (action, id);
create index audit_log_actor on audit_log (actor_id, id);
create index audit_log_subject on audit_log (subject_id, id);
create index audit_log_user on audit_log (user_id, id);
create table audit_log_default partition of audit_log default;

create trigger audit_log_rows_stay before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_stays before truncate on audit_log
  for each statement execute function refuse_audit_change();
select copy_statement_triggers('audit_log', 'audit_log_default');

-- Current problems and the time of the last notification for each, so that only one of any number of processes sends
-- it, and none again within an hour.
create table notice_causes (
  kind text not null,
  -- The subject: an id, or the name of a queue.
  subject text not null,
  -- The time since which it has been seen without interruption.
  since timestamptz not null default clock_timestamp(),
  told_at timestamptz,
  -- The extent that was reported: if it grows, it is reported once more.
  told_mark text,
  -- null while it continues.
  ended_at timestamptz,
  primary key (kind, subject)
);
create index notice_causes_open on notice_causes (kind) where ended_at is null;

-- Notifications (`src/domain/operating/notices`): for the user whose line or application is affected, and for
-- operators.
create table notices (
  id uuid primary key,
  kind text not null,
  subject text not null,
  -- The owner of the line or application; null if it is about the service as a whole.
  user_id uuid references users (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  details jsonb not null
);
create index notices_user on notices (user_id, id);

-- Emails, each with its next attempt: notifications, and password reset links.
create table dispatches (
  id uuid primary key,
  kind text not null check (kind in ('mail', 'reset_link')),
  notice_id uuid references notices (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed')),
  attempt_count integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  last_failure text,
  settled_at timestamptz,
  check ((notice_id is null) = (kind = 'reset_link'))
);
create index dispatches_due on dispatches (kind, due_at) where status = 'waiting';
create index dispatches_notice on dispatches (notice_id);
create index dispatches_user on dispatches (user_id, settled_at);

-- Background tasks: the request, the progress and the outcome of each. `position` is the id up to which it is done,
-- so that the process that continues it starts after that. `claim_count`: only the last process that claimed it may
-- write. `crash_count` and `lost_count`: batches in a row that ended in an unexpected error, or with their process.
create table tasks (
  id uuid primary key,
  kind text not null check (kind in ('replay', 'held_events', 'retry', 'import', 'text_list')),
  -- The user who sees it and may stop it; null for operators on the command line.
  user_id uuid references users (id) on delete cascade,
  line_id uuid,
  application_id uuid,
  asked jsonb not null,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'done', 'stopped', 'failed')),
  -- null while they are still being counted.
  total_count integer,
  done_count integer not null default 0,
  failed_count integer not null default 0,
  last_failure text,
  -- The number of the last items before the position that failed in a row.
  failed_in_a_row integer not null default 0,
  position uuid not null default '00000000-0000-0000-0000-000000000000',
  error text,
  stop_asked_at timestamptz,
  job_generation integer not null default 0,
  claim_count integer not null default 0,
  crash_count integer not null default 0,
  lost_count integer not null default 0,
  lease_until timestamptz,
  due_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz
);
create index tasks_open on tasks (due_at) where status in ('waiting', 'running');
create index tasks_user on tasks (user_id, id);

-- The texts of a task that sends to a list, one for each row of its file. A text is here only while it waits:
-- afterwards the message has it, and what is left when the task ends is not sent. The other columns are for the
-- task's results.
create table task_texts (
  task_id uuid not null references tasks (id) on delete cascade,
  -- The line of the file where the row begins.
  line_of_file integer not null,
  -- E.164; null if it could not be read.
  to_number text,
  text text,
  -- It is chosen before the message is queued, so that the process that continues the task knows whether it was.
  message_id uuid,
  -- The reason why it was not queued, in words.
  reason text,
  primary key (task_id, line_of_file)
);
create index task_texts_waiting on task_texts (task_id, line_of_file) where text is not null;
create index task_texts_number on task_texts (to_number);

-- The events that a replay has sent to another URL. A replay to the endpoint itself changes its deliveries.
create table replayed_events (
  task_id uuid not null references tasks (id) on delete cascade,
  event_id uuid not null,
  sent_at timestamptz not null,
  attempt_count integer not null,
  response_status integer,
  -- null if the URL accepted it.
  failure text,
  primary key (task_id, event_id)
);
create index replayed_events_event on replayed_events (event_id);

-- The progress of something that runs in steps, such as clearing the answers of endpoints.
create table retention_progress (
  task text primary key,
  -- Everything before this row is done.
  until_id uuid not null
);

-- Traffic, for the charts of the overview: a row for each minute and each quarter of an hour (`seconds`), by carrier
-- account. `maintenance` counts minutes from the rows repeatedly, and sums quarters of an hour from minutes. It keeps
-- eight days of both. Nothing else writes here. `to_carrier` and `to_endpoint` are the durations: a count for each
-- step of time (`src/database/operating/overview/traffic-counts.ts`).
create table traffic_counts (
  seconds integer not null check (seconds in (60, 900)),
  begins_at timestamptz not null,
  carrier text not null,
  accepted integer not null,
  sent integer not null,
  delivered integer not null,
  failed integer not null,
  unknown integer not null,
  received integer not null,
  events_delivered integer not null,
  attempts_failed integer not null,
  to_carrier jsonb not null,
  to_endpoint jsonb not null,
  last_error text,
  last_error_code text,
  last_error_reason text,
  last_error_at timestamptz,
  counted_at timestamptz not null default clock_timestamp(),
  primary key (seconds, begins_at, carrier)
);
