-- People's tokens are stored only as SHA-256, so someone who reads the table cannot use any of them.
create table users (
  id uuid primary key,
  email text not null,
  name text not null,
  created_at timestamptz not null default now(),
  role text not null default 'user' check (role in ('user', 'operator')),
  -- argon2id, in its own encoding; null if the user has not set a password yet and cannot sign in.
  password_hash text,
  disabled_at timestamptz,
  -- The time since which what they own is stopped; null if it is running.
  stopped_at timestamptz,
  notice_mails text not null default 'all' check (notice_mails in ('all', 'own', 'none')),
  -- The newest notification that they have read.
  notices_read_id uuid,
  -- The time when the tour of the first steps was closed; null while it is shown, until they are done.
  tour_closed_at timestamptz,
  -- The last day on which they looked at the inbox or at a conversation; see conversations/marks.ts.
  inbox_opened_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table sessions (
  token_hash bytea primary key,
  -- The id that the settings page uses; the token stays in the browser.
  id uuid not null unique,
  user_id uuid not null references users (id) on delete cascade,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- The time when the password was last entered: a secret is shown only soon after that.
  confirmed_at timestamptz not null default now()
);
create index sessions_last_seen on sessions (last_seen_at);
create index sessions_user on sessions (user_id, id);

-- A user with a second factor is half signed in after the password. Such sessions have a separate table, so that
-- nothing can treat them as sessions.
create table half_open_sessions (
  token_hash bytea primary key,
  id uuid not null unique,
  user_id uuid not null references users (id) on delete cascade,
  user_agent text not null,
  created_at timestamptz not null default now()
);
create index half_open_sessions_created on half_open_sessions (created_at);
create index half_open_sessions_user on half_open_sessions (user_id);

-- One-time links to set a password: for the first operator, for new users, and for users who forgot theirs.
create table set_up_links (
  token_hash bytea primary key,
  -- null if opening it creates the first operator's account.
  user_id uuid unique references users (id) on delete cascade,
  expires_at timestamptz not null
);

-- One-time links with which an operator's program gives a user access to the pages of some lines, without a password.
-- Such sessions have a separate table, so that nothing can treat them as sessions of the whole account.
create table portal_links (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  line_ids uuid[] not null,
  expires_at timestamptz not null,
  -- How long the session that it opens lasts.
  session_seconds integer not null,
  -- The operator whose program made it.
  made_by uuid not null references users (id) on delete cascade
);
create index portal_links_user on portal_links (user_id);
create index portal_links_expires on portal_links (expires_at);

create table portal_sessions (
  token_hash bytea primary key,
  id uuid not null unique,
  user_id uuid not null references users (id) on delete cascade,
  line_ids uuid[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  made_by uuid not null references users (id) on delete cascade
);
create index portal_sessions_user on portal_sessions (user_id);
create index portal_sessions_expires on portal_sessions (expires_at);

-- Failed attempts to sign in, by account and by address (both hashed).
create table sign_in_attempts (
  id uuid primary key,
  account_hash bytea not null,
  address_hash bytea not null,
  attempted_at timestamptz not null default clock_timestamp()
);
create index sign_in_attempts_account on sign_in_attempts (account_hash, attempted_at);
create index sign_in_attempts_address on sign_in_attempts (address_hash, attempted_at);
create index sign_in_attempts_age on sign_in_attempts (attempted_at);

-- A second factor in addition to the password: an authenticator app (TOTP) or passkeys, and recovery codes.
create table totp_secrets (
  user_id uuid primary key references users (id) on delete cascade,
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  -- null until someone has proved that an app has it; until then it does not count.
  confirmed_at timestamptz,
  -- The step of the code that was used last: a code works once.
  last_step bigint not null default 0,
  last_used_at timestamptz
);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  -- The id that the browser uses.
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id, id);

-- The next challenge for a passkey in one browser, by the hash of its cookie.
create table passkey_challenges (
  browser_hash bytea primary key,
  challenge text not null,
  created_at timestamptz not null default now()
);
create index passkey_challenges_created on passkey_challenges (created_at);

-- Each is deleted when it is used.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

-- An operator has requested to remove the second factor of a user who has lost it, and another one has to confirm.
-- This is a separate table instead of rows of the audit log, because only one of two simultaneous confirmations may
-- succeed.
create table second_factor_removals (
  -- There is one per user: a new request requires withdrawing the previous one.
  user_id uuid primary key references users (id) on delete cascade,
  id uuid not null unique,
  asked_by uuid not null references users (id) on delete cascade,
  reason text not null,
  asked_at timestamptz not null default now()
);
create index second_factor_removals_asked_by on second_factor_removals (asked_by);

-- A user's name for a number, and whether its messages create events. It applies to all lines of the user.
create table contacts (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- E.164, or a short code or a name that a carrier gives instead.
  number text not null,
  name text,
  blocked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  unique (number, user_id)
);
create index contacts_user on contacts (user_id, id);

-- What each user sends to each country, one row per hour.
create table country_hours (
  user_id uuid not null references users (id) on delete cascade,
  -- ISO 3166, two letters.
  country text not null,
  hour timestamptz not null,
  accepted integer not null,
  primary key (user_id, country, hour)
);
create index country_hours_hour on country_hours (hour);

-- The progress of counting countries. There is one row.
create table country_guard (
  is_all boolean primary key default true check (is_all),
  counted_until timestamptz not null default clock_timestamp(),
  -- Before it has seen a week, everything looks like a rise.
  began_at timestamptz not null default clock_timestamp()
);
insert into country_guard default values;

-- The countries to which a user’s messages are refused since a sudden rise.
create table country_pauses (
  user_id uuid not null references users (id) on delete cascade,
  country text not null,
  paused_at timestamptz not null default clock_timestamp(),
  -- The number in the hour of the pause, and the most in an hour of the month before.
  accepted integer not null,
  usual integer not null,
  -- null while it is paused.
  resumed_at timestamptz,
  primary key (user_id, country)
);

-- How many segments a line, or all lines of a user, may send per day, and how much money they may spend per month.
-- The row of a cap also counts segments, so that it is exact under its own lock; without a cap, nothing is counted.
-- Money is in `spending`.
create table spend_caps (
  -- The id of a line or of a user.
  owner_id uuid primary key,
  segments_per_day integer check (segments_per_day > 0),
  -- Per month (UTC), in whole units of the currency (ISO 4217).
  amount_per_month numeric check (amount_per_month > 0),
  currency text,
  -- The day (UTC) of the last message, and what was accepted on it.
  day date not null default (clock_timestamp() at time zone 'UTC')::date,
  used integer not null default 0,
  check ((amount_per_month is null) = (currency is null)),
  check (num_nonnulls(segments_per_day, amount_per_month) > 0)
);
