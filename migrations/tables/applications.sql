-- Applications that act for other users, and the lines that these users connected.
create table applications (
  id uuid primary key,
  user_id uuid not null references users (id),
  client_id text not null unique,
  kind text not null check (kind in ('confidential', 'public')),
  -- SHA-256; null for a public client, which has no secret.
  client_secret_hash bytea,
  name text not null,
  description text not null,
  website text,
  redirect_uris text[] not null,
  -- null if it has no webhook URL and gets no events. There is no foreign key, because the tables would refer to each
  -- other in a circle, and a backup needs an order. Rows of endpoints are never deleted.
  endpoint_id uuid unique,
  created_at timestamptz not null default now(),
  -- The row stays, because what the application did is still listed under its name.
  deleted_at timestamptz,
  check ((client_secret_hash is null) = (kind = 'public'))
);
create index applications_user on applications (user_id, id) where deleted_at is null;

create table application_lines (
  application_id uuid not null references applications (id) on delete cascade,
  line_id uuid not null references lines (id) on delete cascade,
  -- The user who connected it: the line's owner.
  user_id uuid not null references users (id),
  scopes text[] not null,
  connected_at timestamptz not null default now(),
  last_sent_at timestamptz,
  last_received_at timestamptz,
  primary key (application_id, line_id)
);
create index application_lines_line on application_lines (line_id);
create index application_lines_user on application_lines (user_id, application_id);

-- The records of OAuth: grants, codes, tokens and authorizations in progress. They are looked up by the SHA-256 of
-- their value. The value itself is not in the row, so someone who reads the table cannot use any of them.
create table oauth_records (
  kind text not null check (kind in ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'Interaction')),
  id_hash bytea not null,
  -- The grant of a code or token, which is invalid without it, and once it has ended.
  grant_hash bytea,
  application_id uuid references applications (id) on delete cascade,
  user_id uuid references users (id) on delete cascade,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  -- A code or refresh token is used once. The row stays, so that a second use is recognized.
  consumed_at timestamptz,
  expires_at timestamptz not null,
  -- The time of a refresh token's second use, which is allowed for a short while in case an answer was lost or a
  -- second process used it.
  consumed_again_at timestamptz,
  primary key (kind, id_hash)
);
create index oauth_records_grants on oauth_records (application_id, user_id) where kind = 'Grant';
create index oauth_records_grants_user on oauth_records (user_id) where kind = 'Grant';
create index oauth_records_application on oauth_records (application_id);
create index oauth_records_expiry on oauth_records (expires_at);
create index oauth_records_grant on oauth_records (grant_hash, created_at);
create index oauth_records_user on oauth_records (user_id);
