-- The pause of everything that is sent. There is one row.
create table all_sending (
  is_all boolean primary key default true check (is_all),
  paused_at timestamptz,
  paused_by uuid references users (id) on delete set null,
  resumed_at timestamptz
);
insert into all_sending default values;

-- Who did what to what. Rows are only ever added: triggers refuse everything else, also to the role that owns the
-- table. A month is a partition, and to drop it is the one way to forget. No foreign keys: what a row tells of may be
-- gone.
create table audit_log (
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  actor_kind text not null,
  -- The user who did it, or for whom an application did.
  actor_id uuid,
  -- The session, the API token or the application by which it came.
  credential_id uuid,
  -- From where: an IP address; of the command line, the account of the operating system and its machine.
  address text,
  action text not null,
  subject_id uuid,
  -- Whose data it is; null: nobody's in particular.
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
-- Postgres copies triggers for rows to partitions, and no others; ensure_partitions does so for its own.
create trigger audit_log_stays before truncate on audit_log_default
  for each statement execute function refuse_audit_change();

-- What is wrong now and when it was told last, so that of any number of processes one tells it, and none again within
-- an hour.
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

-- What people were told of without asking (`src/domain/operating/notices`): for the user whose line or application it
-- is about, and for operators.
create table notices (
  id uuid primary key,
  kind text not null,
  subject text not null,
  -- Whose line or application it is about; null: of the service as a whole.
  user_id uuid references users (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  details jsonb not null
);
create index notices_user on notices (user_id, id);

-- Mails, each with its next try: notices, and links to set a new password.
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

-- Background tasks, each a row: what was asked, how far it is, and how it ended. `position` is the id up to which it is done,
-- so that whoever goes on with it begins behind. `claim_count`: only the last who claimed it may write.
create table tasks (
  id uuid primary key,
  kind text not null check (kind in ('replay', 'held_events', 'retry', 'import', 'text_list')),
  -- Who sees it and may stop it; null: operators at the command line.
  user_id uuid references users (id) on delete cascade,
  line_id uuid,
  application_id uuid,
  asked jsonb not null,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'done', 'stopped', 'failed')),
  -- null: there are so many that they are still to be counted.
  total_count integer,
  done_count integer not null default 0,
  failed_count integer not null default 0,
  last_failure text,
  -- Of those up to the position: how many of the last ones failed, one after the other.
  failed_in_a_row integer not null default 0,
  position uuid not null default '00000000-0000-0000-0000-000000000000',
  error text,
  stop_asked_at timestamptz,
  job_generation integer not null default 0,
  claim_count integer not null default 0,
  crash_count integer not null default 0,
  lease_until timestamptz,
  due_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz
);
create index tasks_open on tasks (due_at) where status in ('waiting', 'running');
create index tasks_user on tasks (user_id, id);

-- The texts of a task that sends one to many, a row of its file each. A text is here only while it waits: the message has it
-- then, and what is left when the task ends is not sent. The rest is what the task's results need.
create table task_texts (
  task_id uuid not null references tasks (id) on delete cascade,
  -- Where the row begins in the file.
  line_of_file integer not null,
  -- E.164; null: it could not be read.
  to_number text,
  text text,
  -- It is chosen before the message is queued, so that whoever goes on with the task knows whether it was.
  message_id uuid,
  -- Why it was not queued, in words.
  reason text,
  primary key (task_id, line_of_file)
);
create index task_texts_waiting on task_texts (task_id, line_of_file) where text is not null;
create index task_texts_number on task_texts (to_number);

-- What a replay to another URL has sent. A replay to the endpoint itself changes its deliveries.
create table replayed_events (
  task_id uuid not null references tasks (id) on delete cascade,
  event_id uuid not null,
  sent_at timestamptz not null,
  attempt_count integer not null,
  response_status integer,
  -- null: the URL took it.
  failure text,
  primary key (task_id, event_id)
);
create index replayed_events_event on replayed_events (event_id);

-- How far something that runs bit by bit has come, such as clearing what endpoints answered.
create table retention_progress (
  task text primary key,
  -- Everything before this row is done.
  until_id uuid not null
);

-- What came and went, for the charts of the overview: a row for each minute and each quarter of an hour (`seconds`), by
-- carrier account. `maintenance` counts minutes from the rows, again and again, and sums quarters from minutes; it
-- keeps eight days of both. Nothing else writes here. `to_carrier` and `to_endpoint` say how long it took: how many for
-- each step of time (`src/database/operating/overview/traffic-counts.ts`).
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
