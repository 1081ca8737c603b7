-- Programs of developers that act for other users: who made them, and which lines their users connected.
create table applications (
  id uuid primary key,
  user_id uuid not null references users (id),
  client_id text not null unique,
  kind text not null check (kind in ('confidential', 'public')),
  -- SHA-256; null: a public client has no secret.
  client_secret_hash bytea,
  name text not null,
  description text not null,
  website text,
  redirect_uris text[] not null,
  -- null: it has no webhook URL, and gets no events. There is no foreign key: the tables would refer to each other in a
  -- circle, and a backup needs an order. Rows of endpoints are never deleted.
  endpoint_id uuid unique,
  created_at timestamptz not null default now(),
  -- The row stays, for what it did is still listed under its name.
  deleted_at timestamptz,
  check ((client_secret_hash is null) = (kind = 'public'))
);
create index applications_user on applications (user_id, id) where deleted_at is null;

create table application_lines (
  application_id uuid not null references applications (id) on delete cascade,
  line_id uuid not null references lines (id) on delete cascade,
  -- Who connected it: the line's owner.
  user_id uuid not null references users (id),
  scopes text[] not null,
  connected_at timestamptz not null default now(),
  last_sent_at timestamptz,
  last_received_at timestamptz,
  primary key (application_id, line_id)
);
create index application_lines_line on application_lines (line_id);
create index application_lines_user on application_lines (user_id, application_id);

-- What OAuth keeps: grants, codes, tokens and authorizations under way. Found by the SHA-256 of their value, which is
-- nowhere in the row: whoever reads the table can use none of them.
create table oauth_records (
  kind text not null check (kind in ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'Interaction')),
  id_hash bytea not null,
  -- What a code or token came out of; without it, it is worth nothing.
  grant_hash bytea,
  application_id uuid references applications (id) on delete cascade,
  user_id uuid references users (id) on delete cascade,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  -- A code or refresh token is used once; the row stays, so that a second use is known as one.
  consumed_at timestamptz,
  expires_at timestamptz not null,
  -- When a refresh token was used a second time, within the grace that a lost answer or a second process has.
  consumed_again_at timestamptz,
  primary key (kind, id_hash)
);
create index oauth_records_application on oauth_records (application_id, user_id);
create index oauth_records_expiry on oauth_records (expires_at);
create index oauth_records_grant on oauth_records (grant_hash);
create index oauth_records_user on oauth_records (user_id);
