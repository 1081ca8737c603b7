-- The whole schema, as all migrations and the functions in src/database/sql make it: to be read, not to be run.
-- Made by `npm run schema`; a test compares it. Partitions, one a month, are left out.

create sequence message_positions;

create table all_sending (
  is_all boolean not null default true,
  paused_at timestamp with time zone,
  paused_by uuid,
  resumed_at timestamp with time zone
);
alter table all_sending add constraint all_sending_pkey PRIMARY KEY (is_all);
alter table all_sending add constraint all_sending_paused_by_fkey FOREIGN KEY (paused_by) REFERENCES users(id) ON DELETE SET NULL;
alter table all_sending add constraint all_sending_is_all_check CHECK (is_all);

create table api_tokens (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  is_read_only boolean not null default false,
  line_id uuid
);
alter table api_tokens add constraint api_tokens_token_hash_key UNIQUE (token_hash);
alter table api_tokens add constraint api_tokens_pkey PRIMARY KEY (id);
alter table api_tokens add constraint api_tokens_line_id_fkey FOREIGN KEY (line_id) REFERENCES lines(id) ON DELETE CASCADE;
alter table api_tokens add constraint api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX api_tokens_line ON public.api_tokens USING btree (line_id) WHERE (line_id IS NOT NULL);
CREATE INDEX api_tokens_user ON public.api_tokens USING btree (user_id, id);

create table application_lines (
  application_id uuid not null,
  line_id uuid not null,
  user_id uuid not null,
  scopes text[] not null,
  connected_at timestamp with time zone not null default now(),
  last_sent_at timestamp with time zone,
  last_received_at timestamp with time zone
);
alter table application_lines add constraint application_lines_pkey PRIMARY KEY (application_id, line_id);
alter table application_lines add constraint application_lines_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE;
alter table application_lines add constraint application_lines_line_id_fkey FOREIGN KEY (line_id) REFERENCES lines(id) ON DELETE CASCADE;
alter table application_lines add constraint application_lines_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX application_lines_line ON public.application_lines USING btree (line_id);
CREATE INDEX application_lines_user ON public.application_lines USING btree (user_id, application_id);

create table applications (
  id uuid not null,
  user_id uuid not null,
  client_id text not null,
  kind text not null,
  client_secret_hash bytea,
  name text not null,
  description text not null,
  website text,
  redirect_uris text[] not null,
  endpoint_id uuid,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone
);
alter table applications add constraint applications_client_id_key UNIQUE (client_id);
alter table applications add constraint applications_endpoint_id_key UNIQUE (endpoint_id);
alter table applications add constraint applications_pkey PRIMARY KEY (id);
alter table applications add constraint applications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
alter table applications add constraint applications_check CHECK (((client_secret_hash IS NULL) = (kind = 'public'::text)));
alter table applications add constraint applications_kind_check CHECK ((kind = ANY (ARRAY['confidential'::text, 'public'::text])));
CREATE INDEX applications_user ON public.applications USING btree (user_id, id) WHERE (deleted_at IS NULL);

create table audit_log (
  id uuid not null,
  at timestamp with time zone not null default clock_timestamp(),
  actor_kind text not null,
  actor_id uuid,
  credential_id uuid,
  address text,
  action text not null,
  subject_id uuid,
  user_id uuid,
  before jsonb,
  after jsonb
) partition by range (id);
alter table audit_log add constraint audit_log_pkey PRIMARY KEY (id);
CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_id, id);
CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject_id, id);
CREATE INDEX audit_log_user ON public.audit_log USING btree (user_id, id);

create table carrier_accounts (
  id uuid not null,
  name text not null,
  kind text not null,
  settings_sealed bytea,
  languages text[] not null default '{}'::text[],
  version integer not null default 1,
  messages_per_second real,
  messages_per_second_per_line real,
  handles_opt_out boolean not null default false,
  created_at timestamp with time zone not null default now(),
  last_tested_at timestamp with time zone,
  last_test_fault text,
  last_tested_version integer,
  received_until timestamp with time zone,
  received_asked_at timestamp with time zone,
  priced_until timestamp with time zone,
  prices_asked_at timestamp with time zone,
  paused_at timestamp with time zone,
  paused_by uuid,
  resumed_at timestamp with time zone,
  avoided_until timestamp with time zone,
  avoided_count integer not null default 0,
  phones jsonb not null default '{}'::jsonb,
  phones_asked_at timestamp with time zone
);
alter table carrier_accounts add constraint carrier_accounts_name_key UNIQUE (name);
alter table carrier_accounts add constraint carrier_accounts_pkey PRIMARY KEY (id);
alter table carrier_accounts add constraint carrier_accounts_paused_by_fkey FOREIGN KEY (paused_by) REFERENCES users(id) ON DELETE SET NULL;
alter table carrier_accounts add constraint carrier_accounts_messages_per_second_check CHECK ((messages_per_second > (0)::double precision));
alter table carrier_accounts add constraint carrier_accounts_messages_per_second_per_line_check CHECK ((messages_per_second_per_line > (0)::double precision));
alter table carrier_accounts add constraint carrier_accounts_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,39}$'::text));

create table carrier_message_ids (
  carrier text not null,
  carrier_message_id text not null,
  message_id uuid not null,
  created_at timestamp with time zone not null default now()
);
alter table carrier_message_ids add constraint carrier_message_ids_pkey PRIMARY KEY (carrier, carrier_message_id);

create table carrier_message_ids_again (
  carrier text not null,
  carrier_message_id text not null,
  message_id uuid not null,
  created_at timestamp with time zone not null default clock_timestamp()
);
alter table carrier_message_ids_again add constraint carrier_message_ids_again_pkey PRIMARY KEY (carrier, carrier_message_id, message_id);

create table carrier_sessions (
  account_id uuid not null,
  holder_id uuid not null,
  lease_until timestamp with time zone not null,
  version integer,
  bound_count integer not null default 0,
  session_count integer not null default 0,
  changed_at timestamp with time zone not null default clock_timestamp(),
  last_error text,
  last_error_at timestamp with time zone
);
alter table carrier_sessions add constraint carrier_sessions_pkey PRIMARY KEY (account_id);
alter table carrier_sessions add constraint carrier_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES carrier_accounts(id) ON DELETE CASCADE;

create table contacts (
  id uuid not null,
  user_id uuid not null,
  number text not null,
  name text,
  blocked_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp()
);
alter table contacts add constraint contacts_number_user_id_key UNIQUE (number, user_id);
alter table contacts add constraint contacts_pkey PRIMARY KEY (id);
alter table contacts add constraint contacts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX contacts_user ON public.contacts USING btree (user_id, id);

create table country_guard (
  is_all boolean not null default true,
  counted_until timestamp with time zone not null default clock_timestamp(),
  began_at timestamp with time zone not null default clock_timestamp()
);
alter table country_guard add constraint country_guard_pkey PRIMARY KEY (is_all);
alter table country_guard add constraint country_guard_is_all_check CHECK (is_all);

create table country_hours (
  user_id uuid not null,
  country text not null,
  hour timestamp with time zone not null,
  accepted integer not null
);
alter table country_hours add constraint country_hours_pkey PRIMARY KEY (user_id, country, hour);
alter table country_hours add constraint country_hours_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX country_hours_hour ON public.country_hours USING btree (hour);

create table country_pauses (
  user_id uuid not null,
  country text not null,
  paused_at timestamp with time zone not null default clock_timestamp(),
  accepted integer not null,
  usual integer not null,
  resumed_at timestamp with time zone
);
alter table country_pauses add constraint country_pauses_pkey PRIMARY KEY (user_id, country);
alter table country_pauses add constraint country_pauses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

create table deliveries (
  id uuid not null,
  user_id uuid not null,
  line_id uuid,
  event_id uuid not null,
  endpoint_id uuid not null,
  status text not null,
  attempt_count integer not null default 0,
  round_attempt_count integer not null default 0,
  crash_count integer not null default 0,
  last_failure text,
  created_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  job_generation integer not null default 0,
  lease_until timestamp with time zone,
  delivered_at timestamp with time zone,
  type text not null,
  from_number text,
  application_id uuid,
  lost_count integer not null default 0,
  is_ordered boolean not null default false,
  task_id uuid
) partition by range (id);
alter table deliveries add constraint deliveries_pkey PRIMARY KEY (id);
alter table deliveries add constraint deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivering'::text, 'delivered'::text, 'exhausted'::text, 'held'::text])));
CREATE INDEX deliveries_application ON public.deliveries USING btree (application_id, id) WHERE (application_id IS NOT NULL);
CREATE INDEX deliveries_application_waiting ON public.deliveries USING btree (application_id, line_id) WHERE ((application_id IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'held'::text])));
CREATE INDEX deliveries_contact ON public.deliveries USING btree (line_id, from_number, id);
CREATE INDEX deliveries_event ON public.deliveries USING btree (event_id);
CREATE INDEX deliveries_failed ON public.deliveries USING btree (line_id, id) WHERE (status = ANY (ARRAY['exhausted'::text, 'held'::text]));
CREATE INDEX deliveries_failure ON public.deliveries USING btree (line_id, last_failure, id) WHERE (last_failure IS NOT NULL);
CREATE INDEX deliveries_held ON public.deliveries USING btree (endpoint_id, id) WHERE (status = 'held'::text);
CREATE INDEX deliveries_lane ON public.deliveries USING btree (endpoint_id, due_at, id) WHERE (status = 'pending'::text);
CREATE INDEX deliveries_line ON public.deliveries USING btree (line_id, id);
CREATE INDEX deliveries_opt_in ON public.deliveries USING btree (line_id, type, id) WHERE (type = ANY (ARRAY['messageStatus'::text, 'optOut'::text, 'missedCall'::text, 'lineDisconnected'::text]));
CREATE INDEX deliveries_ordered ON public.deliveries USING btree (endpoint_id, line_id, from_number, created_at, id) WHERE (is_ordered AND (status = ANY (ARRAY['pending'::text, 'delivering'::text])));
CREATE INDEX deliveries_under_way ON public.deliveries USING btree (endpoint_id) WHERE (status = 'delivering'::text);

create table delivery_attempts (
  id uuid not null,
  delivery_id uuid not null,
  attempt_number integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  response_status integer,
  response_excerpt text,
  failure text,
  next_attempt_at timestamp with time zone,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  request_headers json,
  response_headers json
) partition by range (id);
alter table delivery_attempts add constraint delivery_attempts_pkey PRIMARY KEY (id);
CREATE INDEX delivery_attempts_delivery ON public.delivery_attempts USING btree (delivery_id, attempt_number);

create table developer_connections (
  line_id uuid not null,
  enabled boolean not null default false,
  endpoint_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
alter table developer_connections add constraint developer_connections_endpoint_id_key UNIQUE (endpoint_id);
alter table developer_connections add constraint developer_connections_pkey PRIMARY KEY (line_id);
alter table developer_connections add constraint developer_connections_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES endpoints(id);
alter table developer_connections add constraint developer_connections_line_id_fkey FOREIGN KEY (line_id) REFERENCES lines(id) ON DELETE CASCADE;

create table dispatches (
  id uuid not null,
  kind text not null,
  notice_id uuid,
  user_id uuid not null,
  status text not null default 'waiting'::text,
  attempt_count integer not null default 0,
  due_at timestamp with time zone not null default clock_timestamp(),
  last_failure text,
  settled_at timestamp with time zone
);
alter table dispatches add constraint dispatches_pkey PRIMARY KEY (id);
alter table dispatches add constraint dispatches_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id) ON DELETE CASCADE;
alter table dispatches add constraint dispatches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table dispatches add constraint dispatches_check CHECK (((notice_id IS NULL) = (kind = 'reset_link'::text)));
alter table dispatches add constraint dispatches_kind_check CHECK ((kind = ANY (ARRAY['mail'::text, 'reset_link'::text])));
alter table dispatches add constraint dispatches_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text])));
CREATE INDEX dispatches_due ON public.dispatches USING btree (kind, due_at) WHERE (status = 'waiting'::text);
CREATE INDEX dispatches_notice ON public.dispatches USING btree (notice_id);
CREATE INDEX dispatches_user ON public.dispatches USING btree (user_id, settled_at);

create table endpoints (
  id uuid not null,
  user_id uuid not null,
  url text not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  consecutive_failure_count integer not null default 0,
  last_failure text,
  disabled_at timestamp with time zone,
  disabled_reason text,
  created_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone,
  opt_in_events text[] not null default '{}'::text[],
  called_at timestamp with time zone,
  places integer not null default 10,
  slowed_at timestamp with time zone,
  paused_at timestamp with time zone,
  paused_by uuid,
  policy jsonb not null default '{}'::jsonb,
  headers_sealed bytea,
  line_id uuid,
  name text,
  application_id uuid
);
alter table endpoints add constraint endpoints_pkey PRIMARY KEY (id);
alter table endpoints add constraint endpoints_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id);
alter table endpoints add constraint endpoints_line_id_fkey FOREIGN KEY (line_id) REFERENCES lines(id);
alter table endpoints add constraint endpoints_paused_by_fkey FOREIGN KEY (paused_by) REFERENCES users(id) ON DELETE SET NULL;
alter table endpoints add constraint endpoints_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
alter table endpoints add constraint endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text, 'owner_disabled'::text])));
alter table endpoints add constraint endpoints_owner_check CHECK ((num_nonnulls(line_id, application_id) < 2));
alter table endpoints add constraint endpoints_places_check CHECK ((places > 0));
CREATE INDEX endpoints_of_account ON public.endpoints USING btree (user_id, id) WHERE ((line_id IS NULL) AND (application_id IS NULL) AND (removed_at IS NULL));
CREATE INDEX endpoints_of_application ON public.endpoints USING btree (application_id) WHERE ((application_id IS NOT NULL) AND (removed_at IS NULL));
CREATE INDEX endpoints_of_line ON public.endpoints USING btree (line_id, id) WHERE ((line_id IS NOT NULL) AND (removed_at IS NULL));

create table events (
  id uuid not null,
  user_id uuid not null,
  line_id uuid,
  message_id uuid,
  type text not null,
  payload text not null,
  from_number text,
  to_number text,
  created_at timestamp with time zone not null default now()
) partition by range (id);
alter table events add constraint events_pkey PRIMARY KEY (id);
CREATE INDEX events_message ON public.events USING btree (message_id);

create table half_open_sessions (
  token_hash bytea not null,
  id uuid not null,
  user_id uuid not null,
  user_agent text not null,
  created_at timestamp with time zone not null default now()
);
alter table half_open_sessions add constraint half_open_sessions_id_key UNIQUE (id);
alter table half_open_sessions add constraint half_open_sessions_pkey PRIMARY KEY (token_hash);
alter table half_open_sessions add constraint half_open_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX half_open_sessions_created ON public.half_open_sessions USING btree (created_at);
CREATE INDEX half_open_sessions_user ON public.half_open_sessions USING btree (user_id);

create table idempotency_keys (
  scope_id uuid not null,
  key text not null,
  request_hash bytea not null,
  message_id uuid not null,
  created_at timestamp with time zone not null default now()
);
alter table idempotency_keys add constraint idempotency_keys_pkey PRIMARY KEY (scope_id, key);
CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);

create table incoming_webhooks (
  line_id uuid not null,
  token_hash bytea not null,
  token_sealed bytea not null,
  previous_token_hash bytea,
  previous_token_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  regenerated_at timestamp with time zone
);
alter table incoming_webhooks add constraint incoming_webhooks_pkey PRIMARY KEY (line_id);
alter table incoming_webhooks add constraint incoming_webhooks_line_id_fkey FOREIGN KEY (line_id) REFERENCES developer_connections(line_id) ON DELETE CASCADE;

create table line_peers (
  line_id uuid not null,
  number text not null,
  window_cleared_at timestamp with time zone,
  opted_out_at timestamp with time zone,
  opted_in_at timestamp with time zone,
  opt_out_answer_id uuid,
  help_answered_at timestamp with time zone,
  paused_until timestamp with time zone,
  heard_at timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  unread_id uuid,
  archived_at timestamp with time zone
);
alter table line_peers add constraint line_peers_pkey PRIMARY KEY (line_id, number);
CREATE INDEX line_peers_archived ON public.line_peers USING btree (line_id, archived_at) WHERE (archived_at IS NOT NULL);
CREATE INDEX line_peers_opted_out ON public.line_peers USING btree (line_id, number) WHERE (opted_out_at IS NOT NULL);
CREATE INDEX line_peers_paused ON public.line_peers USING btree (line_id, paused_until) WHERE (paused_until IS NOT NULL);
CREATE INDEX line_peers_unread ON public.line_peers USING btree (line_id, unread_id) WHERE (unread_id IS NOT NULL);

create table lines (
  id uuid not null,
  user_id uuid not null,
  number text not null,
  name text not null,
  carrier text not null,
  routes jsonb not null default '[]'::jsonb,
  status text not null default 'active'::text,
  country text,
  short_codes text[],
  allowed_countries text[],
  messages_per_number_per_minute integer not null default 5,
  messages_per_minute integer not null default 30,
  created_at timestamp with time zone not null default now(),
  paused_at timestamp with time zone,
  paused_by uuid,
  resumed_at timestamp with time zone,
  is_stopped boolean not null default false,
  paused_countries text[]
);
alter table lines add constraint lines_number_key UNIQUE (number);
alter table lines add constraint lines_pkey PRIMARY KEY (id);
alter table lines add constraint lines_carrier_fkey FOREIGN KEY (carrier) REFERENCES carrier_accounts(name);
alter table lines add constraint lines_paused_by_fkey FOREIGN KEY (paused_by) REFERENCES users(id) ON DELETE SET NULL;
alter table lines add constraint lines_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
alter table lines add constraint lines_messages_per_minute_check CHECK ((messages_per_minute > 0));
alter table lines add constraint lines_messages_per_number_per_minute_check CHECK ((messages_per_number_per_minute > 0));
alter table lines add constraint lines_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])));
CREATE INDEX lines_carrier ON public.lines USING btree (carrier);
CREATE INDEX lines_paused ON public.lines USING btree (id) WHERE (paused_at IS NOT NULL);
CREATE INDEX lines_resumed ON public.lines USING btree (id) WHERE (resumed_at IS NOT NULL);
CREATE INDEX lines_routes ON public.lines USING gin (routes jsonb_path_ops);
CREATE INDEX lines_user ON public.lines USING btree (user_id, id);

create table listener_attempts (
  id uuid not null,
  event_id uuid not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  response_status integer,
  failure text
) partition by range (id);
alter table listener_attempts add constraint listener_attempts_pkey PRIMARY KEY (id);
CREATE INDEX listener_attempts_event ON public.listener_attempts USING btree (event_id, started_at);

create table media (
  id uuid not null,
  user_id uuid not null,
  line_id uuid not null,
  message_id uuid not null,
  event_id uuid,
  purpose text not null,
  source_url text not null,
  carrier text,
  token text not null,
  status text not null default 'pending'::text,
  failure text,
  content_type text,
  byte_count integer,
  width integer,
  height integer,
  storage_key text,
  attempt_count integer not null default 0,
  round_attempt_count integer not null default 0,
  crash_count integer not null default 0,
  job_generation integer not null default 0,
  due_at timestamp with time zone not null default clock_timestamp(),
  lease_until timestamp with time zone,
  created_at timestamp with time zone not null default clock_timestamp(),
  stored_at timestamp with time zone,
  removed_at timestamp with time zone,
  lost_count integer not null default 0
);
alter table media add constraint media_token_key UNIQUE (token);
alter table media add constraint media_pkey PRIMARY KEY (id);
alter table media add constraint media_purpose_check CHECK ((purpose = ANY (ARRAY['outbound'::text, 'inbound'::text, 'voicemail'::text])));
alter table media add constraint media_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'fetching'::text, 'stored'::text, 'failed'::text])));
CREATE INDEX media_due ON public.media USING btree (due_at) WHERE (status = 'pending'::text);
CREATE INDEX media_kept ON public.media USING btree (stored_at) WHERE ((status = 'stored'::text) AND (removed_at IS NULL));
CREATE INDEX media_leased ON public.media USING btree (lease_until) WHERE (status = 'fetching'::text);
CREATE INDEX media_message ON public.media USING btree (message_id);

create table messages (
  id uuid not null,
  user_id uuid not null,
  line_id uuid not null,
  direction text not null,
  source text not null,
  from_number text not null,
  to_number text not null,
  text text,
  media_urls text[],
  status text not null,
  error text,
  carrier_message_id text,
  attempt_count integer not null default 0,
  crash_count integer not null default 0,
  created_at timestamp with time zone not null default clock_timestamp(),
  due_at timestamp with time zone not null default clock_timestamp(),
  job_generation integer not null default 0,
  lease_until timestamp with time zone,
  sent_at timestamp with time zone,
  type text not null default 'text'::text,
  again_of uuid,
  claimed_at timestamp with time zone,
  receipt_at timestamp with time zone,
  application_id uuid,
  carrier_code text,
  carrier_reason text,
  carrier_asked_count integer not null default 0,
  "position" bigint not null default nextval('message_positions'::regclass),
  claim_id uuid,
  handed_over_at timestamp with time zone,
  not_before timestamp with time zone,
  send_at timestamp with time zone,
  expires_at timestamp with time zone,
  client_ref text,
  carrier text,
  passed_over jsonb,
  to_country text,
  carrier_options jsonb,
  segment_count integer,
  carrier_segment_count integer,
  price numeric,
  currency text
) partition by range (id);
alter table messages add constraint messages_pkey PRIMARY KEY (id);
alter table messages add constraint messages_check CHECK (((price IS NULL) = (currency IS NULL)));
alter table messages add constraint messages_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text])));
alter table messages add constraint messages_price_check CHECK ((price >= (0)::numeric));
alter table messages add constraint messages_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'application'::text, 'api'::text, 'console'::text, 'carrier'::text, 'service'::text])));
alter table messages add constraint messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'failed'::text, 'unknown'::text, 'received'::text, 'scheduled'::text])));
alter table messages add constraint messages_type_check CHECK ((type = ANY (ARRAY['text'::text, 'media'::text, 'voicemail'::text])));
CREATE INDEX messages_accepted ON public.messages USING btree (line_id, created_at) WHERE (source = 'webhook'::text);
CREATE INDEX messages_client_ref ON public.messages USING btree (client_ref, line_id, id) WHERE (client_ref IS NOT NULL);
CREATE INDEX messages_contact ON public.messages USING btree (line_id, (
CASE direction
    WHEN 'outbound'::text THEN to_number
    ELSE from_number
END), id);
CREATE INDEX messages_due ON public.messages USING btree (due_at) WHERE (status = 'queued'::text);
CREATE INDEX messages_expiring ON public.messages USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'scheduled'::text])));
CREATE INDEX messages_failed ON public.messages USING btree (line_id, id) WHERE (status = ANY (ARRAY['failed'::text, 'unknown'::text]));
CREATE INDEX messages_handed_over ON public.messages USING btree (line_id, handed_over_at) WHERE (handed_over_at IS NOT NULL);
CREATE INDEX messages_leased ON public.messages USING btree (lease_until) WHERE (status = 'sending'::text);
CREATE INDEX messages_line ON public.messages USING btree (line_id, id);
CREATE INDEX messages_media ON public.messages USING btree (line_id, id) WHERE (type <> 'text'::text);
CREATE INDEX messages_scheduled ON public.messages USING btree (due_at) WHERE ((status = 'scheduled'::text) AND (send_at IS NOT NULL));
CREATE INDEX messages_scheduled_line ON public.messages USING btree (line_id, id) WHERE (status = 'scheduled'::text);
CREATE INDEX messages_unfinished ON public.messages USING btree (line_id, to_number, "position") WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));
CREATE INDEX messages_unknown ON public.messages USING btree (claimed_at) WHERE (status = 'unknown'::text);

create table notice_causes (
  kind text not null,
  subject text not null,
  since timestamp with time zone not null default clock_timestamp(),
  told_at timestamp with time zone,
  told_mark text,
  ended_at timestamp with time zone
);
alter table notice_causes add constraint notice_causes_pkey PRIMARY KEY (kind, subject);
CREATE INDEX notice_causes_open ON public.notice_causes USING btree (kind) WHERE (ended_at IS NULL);

create table notices (
  id uuid not null,
  kind text not null,
  subject text not null,
  user_id uuid,
  at timestamp with time zone not null default clock_timestamp(),
  details jsonb not null
);
alter table notices add constraint notices_pkey PRIMARY KEY (id);
alter table notices add constraint notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX notices_user ON public.notices USING btree (user_id, id);

create table oauth_records (
  kind text not null,
  id_hash bytea not null,
  grant_hash bytea,
  application_id uuid,
  user_id uuid,
  payload jsonb not null,
  created_at timestamp with time zone not null default now(),
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  consumed_again_at timestamp with time zone
);
alter table oauth_records add constraint oauth_records_pkey PRIMARY KEY (kind, id_hash);
alter table oauth_records add constraint oauth_records_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE;
alter table oauth_records add constraint oauth_records_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table oauth_records add constraint oauth_records_kind_check CHECK ((kind = ANY (ARRAY['Grant'::text, 'AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text, 'Interaction'::text])));
CREATE INDEX oauth_records_application ON public.oauth_records USING btree (application_id, user_id);
CREATE INDEX oauth_records_expiry ON public.oauth_records USING btree (expires_at);
CREATE INDEX oauth_records_grant ON public.oauth_records USING btree (grant_hash);
CREATE INDEX oauth_records_user ON public.oauth_records USING btree (user_id);

create table passkey_challenges (
  browser_hash bytea not null,
  challenge text not null,
  created_at timestamp with time zone not null default now()
);
alter table passkey_challenges add constraint passkey_challenges_pkey PRIMARY KEY (browser_hash);
CREATE INDEX passkey_challenges_created ON public.passkey_challenges USING btree (created_at);

create table passkeys (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone
);
alter table passkeys add constraint passkeys_credential_id_key UNIQUE (credential_id);
alter table passkeys add constraint passkeys_pkey PRIMARY KEY (id);
alter table passkeys add constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX passkeys_user ON public.passkeys USING btree (user_id, id);

create table portal_links (
  token_hash bytea not null,
  user_id uuid not null,
  line_ids uuid[] not null,
  expires_at timestamp with time zone not null,
  session_seconds integer not null
);
alter table portal_links add constraint portal_links_pkey PRIMARY KEY (token_hash);
alter table portal_links add constraint portal_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX portal_links_expires ON public.portal_links USING btree (expires_at);
CREATE INDEX portal_links_user ON public.portal_links USING btree (user_id);

create table portal_sessions (
  token_hash bytea not null,
  id uuid not null,
  user_id uuid not null,
  line_ids uuid[] not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null
);
alter table portal_sessions add constraint portal_sessions_id_key UNIQUE (id);
alter table portal_sessions add constraint portal_sessions_pkey PRIMARY KEY (token_hash);
alter table portal_sessions add constraint portal_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX portal_sessions_expires ON public.portal_sessions USING btree (expires_at);
CREATE INDEX portal_sessions_user ON public.portal_sessions USING btree (user_id);

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null
);
alter table recovery_codes add constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash);
alter table recovery_codes add constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

create table replayed_events (
  task_id uuid not null,
  event_id uuid not null,
  sent_at timestamp with time zone not null,
  attempt_count integer not null,
  response_status integer,
  failure text
);
alter table replayed_events add constraint replayed_events_pkey PRIMARY KEY (task_id, event_id);
alter table replayed_events add constraint replayed_events_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE CASCADE;
CREATE INDEX replayed_events_event ON public.replayed_events USING btree (event_id);

create table retention_progress (
  task text not null,
  until_id uuid not null
);
alter table retention_progress add constraint retention_progress_pkey PRIMARY KEY (task);

create table second_factor_removals (
  user_id uuid not null,
  id uuid not null,
  asked_by uuid not null,
  reason text not null,
  asked_at timestamp with time zone not null default now()
);
alter table second_factor_removals add constraint second_factor_removals_id_key UNIQUE (id);
alter table second_factor_removals add constraint second_factor_removals_pkey PRIMARY KEY (user_id);
alter table second_factor_removals add constraint second_factor_removals_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES users(id) ON DELETE CASCADE;
alter table second_factor_removals add constraint second_factor_removals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX second_factor_removals_asked_by ON public.second_factor_removals USING btree (asked_by);

create table sessions (
  token_hash bytea not null,
  id uuid not null,
  user_id uuid not null,
  user_agent text not null,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  confirmed_at timestamp with time zone not null default now()
);
alter table sessions add constraint sessions_id_key UNIQUE (id);
alter table sessions add constraint sessions_pkey PRIMARY KEY (token_hash);
alter table sessions add constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX sessions_last_seen ON public.sessions USING btree (last_seen_at);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id, id);

create table set_up_links (
  token_hash bytea not null,
  user_id uuid,
  expires_at timestamp with time zone not null
);
alter table set_up_links add constraint set_up_links_user_id_key UNIQUE (user_id);
alter table set_up_links add constraint set_up_links_pkey PRIMARY KEY (token_hash);
alter table set_up_links add constraint set_up_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

create table sign_in_attempts (
  id uuid not null,
  account_hash bytea not null,
  address_hash bytea not null,
  attempted_at timestamp with time zone not null default clock_timestamp()
);
alter table sign_in_attempts add constraint sign_in_attempts_pkey PRIMARY KEY (id);
CREATE INDEX sign_in_attempts_account ON public.sign_in_attempts USING btree (account_hash, attempted_at);
CREATE INDEX sign_in_attempts_address ON public.sign_in_attempts USING btree (address_hash, attempted_at);
CREATE INDEX sign_in_attempts_age ON public.sign_in_attempts USING btree (attempted_at);

create table simulator_media (
  token text not null,
  content_type text not null,
  bytes bytea not null,
  created_at timestamp with time zone not null default now()
);
alter table simulator_media add constraint simulator_media_pkey PRIMARY KEY (token);
alter table simulator_media add constraint simulator_media_bytes_check CHECK ((octet_length(bytes) < 5000000));
CREATE INDEX simulator_media_age ON public.simulator_media USING btree (created_at);

create table simulator_outbox (
  carrier_message_id uuid not null,
  message_id uuid not null,
  from_number text not null,
  to_number text not null,
  text text,
  media_urls text[] not null default '{}'::text[],
  taken_at timestamp with time zone not null default clock_timestamp(),
  receipt_sent_at timestamp with time zone
);
alter table simulator_outbox add constraint simulator_outbox_pkey PRIMARY KEY (carrier_message_id);
CREATE INDEX simulator_outbox_number ON public.simulator_outbox USING btree (to_number, carrier_message_id);
CREATE INDEX simulator_outbox_receipts ON public.simulator_outbox USING btree (carrier_message_id) WHERE (receipt_sent_at IS NULL);

create table smpp_inbound (
  id uuid not null,
  digest bytea not null,
  session_id uuid not null,
  created_at timestamp with time zone not null default clock_timestamp()
);
alter table smpp_inbound add constraint smpp_inbound_pkey PRIMARY KEY (id);
CREATE INDEX smpp_inbound_created ON public.smpp_inbound USING btree (created_at);
CREATE INDEX smpp_inbound_digest ON public.smpp_inbound USING btree (digest);

create table smpp_parts (
  id uuid not null,
  carrier text not null,
  from_number text not null,
  to_number text not null,
  reference integer not null,
  total integer not null,
  number integer not null,
  text bytea not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  coding text not null
);
alter table smpp_parts add constraint smpp_parts_pkey PRIMARY KEY (id);
CREATE INDEX smpp_parts_created ON public.smpp_parts USING btree (created_at);
CREATE INDEX smpp_parts_message ON public.smpp_parts USING btree (carrier, from_number, to_number, reference, total);

create table spend_caps (
  owner_id uuid not null,
  segments_per_day integer,
  amount_per_month numeric,
  currency text,
  day date not null default ((clock_timestamp() AT TIME ZONE 'UTC'::text))::date,
  used integer not null default 0,
  warned_day date
);
alter table spend_caps add constraint spend_caps_pkey PRIMARY KEY (owner_id);
alter table spend_caps add constraint spend_caps_amount_per_month_check CHECK ((amount_per_month > (0)::numeric));
alter table spend_caps add constraint spend_caps_check CHECK (((amount_per_month IS NULL) = (currency IS NULL)));
alter table spend_caps add constraint spend_caps_check1 CHECK ((num_nonnulls(segments_per_day, amount_per_month) > 0));
alter table spend_caps add constraint spend_caps_segments_per_day_check CHECK ((segments_per_day > 0));

create table spending (
  line_id uuid not null,
  user_id uuid not null,
  month date not null,
  currency text not null,
  message_count integer not null,
  amount numeric not null
);
alter table spending add constraint spending_pkey PRIMARY KEY (line_id, month, currency);
CREATE INDEX spending_user ON public.spending USING btree (user_id, month);

create table task_texts (
  task_id uuid not null,
  line_of_file integer not null,
  to_number text,
  text text,
  message_id uuid,
  reason text
);
alter table task_texts add constraint task_texts_pkey PRIMARY KEY (task_id, line_of_file);
alter table task_texts add constraint task_texts_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE CASCADE;
CREATE INDEX task_texts_number ON public.task_texts USING btree (to_number);
CREATE INDEX task_texts_waiting ON public.task_texts USING btree (task_id, line_of_file) WHERE (text IS NOT NULL);

create table tasks (
  id uuid not null,
  kind text not null,
  user_id uuid,
  line_id uuid,
  application_id uuid,
  asked jsonb not null,
  status text not null default 'waiting'::text,
  total_count integer,
  done_count integer not null default 0,
  failed_count integer not null default 0,
  last_failure text,
  failed_in_a_row integer not null default 0,
  "position" uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  error text,
  stop_asked_at timestamp with time zone,
  job_generation integer not null default 0,
  claim_count integer not null default 0,
  crash_count integer not null default 0,
  lease_until timestamp with time zone,
  due_at timestamp with time zone not null default clock_timestamp(),
  created_at timestamp with time zone not null default clock_timestamp(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone
);
alter table tasks add constraint tasks_pkey PRIMARY KEY (id);
alter table tasks add constraint tasks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table tasks add constraint tasks_kind_check CHECK ((kind = ANY (ARRAY['replay'::text, 'held_events'::text, 'retry'::text, 'import'::text, 'text_list'::text])));
alter table tasks add constraint tasks_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'stopped'::text, 'failed'::text])));
CREATE INDEX tasks_open ON public.tasks USING btree (due_at) WHERE (status = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE INDEX tasks_user ON public.tasks USING btree (user_id, id);

create table test_events (
  id uuid not null,
  user_id uuid not null,
  line_id uuid not null,
  type text not null,
  payload text not null,
  from_number text not null,
  to_number text not null,
  created_at timestamp with time zone not null default now()
);
alter table test_events add constraint test_events_pkey PRIMARY KEY (id);
alter table test_events add constraint test_events_line_id_fkey FOREIGN KEY (line_id) REFERENCES lines(id) ON DELETE CASCADE;
CREATE INDEX test_events_line ON public.test_events USING btree (line_id, id);

create table totp_secrets (
  user_id uuid not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  confirmed_at timestamp with time zone,
  last_step bigint not null default 0,
  last_used_at timestamp with time zone
);
alter table totp_secrets add constraint totp_secrets_pkey PRIMARY KEY (user_id);
alter table totp_secrets add constraint totp_secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

create table traffic_counts (
  seconds integer not null,
  begins_at timestamp with time zone not null,
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
  last_error_at timestamp with time zone,
  counted_at timestamp with time zone not null default clock_timestamp()
);
alter table traffic_counts add constraint traffic_counts_pkey PRIMARY KEY (seconds, begins_at, carrier);
alter table traffic_counts add constraint traffic_counts_seconds_check CHECK ((seconds = ANY (ARRAY[60, 900])));

create table unclear_callbacks (
  id uuid not null,
  account_id uuid not null,
  digest bytea not null,
  name text not null,
  why text not null,
  method text not null,
  query text not null,
  content_type text not null,
  body bytea not null,
  count integer not null default 1,
  first_at timestamp with time zone not null default clock_timestamp(),
  last_at timestamp with time zone not null default clock_timestamp()
);
alter table unclear_callbacks add constraint unclear_callbacks_account_id_digest_key UNIQUE (account_id, digest);
alter table unclear_callbacks add constraint unclear_callbacks_pkey PRIMARY KEY (id);
alter table unclear_callbacks add constraint unclear_callbacks_account_id_fkey FOREIGN KEY (account_id) REFERENCES carrier_accounts(id) ON DELETE CASCADE;
CREATE INDEX unclear_callbacks_last ON public.unclear_callbacks USING btree (account_id, last_at DESC);

create table users (
  id uuid not null,
  email text not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  role text not null default 'user'::text,
  password_hash text,
  disabled_at timestamp with time zone,
  stopped_at timestamp with time zone,
  notice_mails text not null default 'all'::text,
  notices_read_id uuid,
  tour_closed_at timestamp with time zone,
  inbox_opened_at timestamp with time zone not null default now()
);
alter table users add constraint users_pkey PRIMARY KEY (id);
alter table users add constraint users_notice_mails_check CHECK ((notice_mails = ANY (ARRAY['all'::text, 'own'::text, 'none'::text])));
alter table users add constraint users_role_check CHECK ((role = ANY (ARRAY['user'::text, 'operator'::text])));
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

CREATE TRIGGER audit_log_rows_stay BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_log_stays BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE OR REPLACE FUNCTION public.announce_events(events jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  told jsonb;
begin
  with asked as materialized (
    select x.* from jsonb_to_recordset(events) as x(event_id uuid, user_id uuid, line_id uuid, message_id uuid, type text,
      payload text, "from" text, "to" text, endpoint_id uuid)
  ), opted_in as materialized (
    select o.line_id, o.opt_in_events
    from endpoints_of_lines(array(select distinct a.line_id from asked a where a.endpoint_id is null)) o
    where cardinality(o.opt_in_events) > 0
  ), wanted as materialized (
    select a.* from asked a where case
      when a.line_id is null then exists (select from endpoints e
        where e.user_id = a.user_id and e.line_id is null and e.application_id is null and e.removed_at is null)
      when a.endpoint_id is null then exists (select from opted_in o where o.line_id = a.line_id and a.type = any (o.opt_in_events))
      else exists (select from endpoints e where e.id = a.endpoint_id and e.removed_at is null
        and a.type = any (e.opt_in_events)) end
  ), new_events as (
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select w.event_id, w.user_id, w.line_id, w.message_id, w.type, w.payload, w."from", w."to" from wanted w
  )
  select jsonb_agg(jsonb_build_object('event_id', w.event_id, 'delivery_id', new_id(), 'user_id', w.user_id,
    'line_id', w.line_id, 'event_type', w.type, 'from', w."from", 'opt_in', w.line_id is not null, 'endpoint_id', w.endpoint_id))
  into told from wanted w;
  if told is null then
    return '[]';
  end if;
  return (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'generation', 0)), '[]')
    from create_deliveries(told, null) d);
end $function$
;

CREATE OR REPLACE FUNCTION public.announce_messages(changed jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  asking uuid[];
begin
  select array_agg(o.line_id) into asking
  from endpoints_of_lines(array(select distinct c.line_id from jsonb_to_recordset(changed) as c(line_id uuid))) o
  where 'messageStatus' = any (o.opt_in_events);
  if asking is null then
    return '[]';
  end if;
  return (
    select announce_events(coalesce(jsonb_agg(jsonb_build_object(
      'event_id', new_id(), 'user_id', c.user_id, 'line_id', c.line_id, 'message_id', c.id, 'type', 'messageStatus',
      'payload', row_to_json(p)::text, 'from', c.to_number, 'to', c.from_number)), '[]'))
    from jsonb_to_recordset(changed) as c(id uuid, user_id uuid, line_id uuid, from_number text, to_number text,
      status text, error text, carrier_code text, carrier_reason text, client_ref text, price text, currency text, charge jsonb, status_before text)
    cross join lateral (
      select c.id as "messageId", c.status, c.error, c.carrier_code as "carrierCode",
        c.carrier_reason as "carrierReason", c.client_ref as "clientRef",
        coalesce(c.charge ->> 'price', c.price) as price,
        case when c.charge ->> 'price' is null then c.currency else c.charge ->> 'currency' end as currency) p
    where c.line_id = any (asking) and c.status <> c.status_before and c.status in ('sent', 'delivered', 'failed', 'unknown'));
end $function$
;

CREATE OR REPLACE FUNCTION public.claim_in_lanes(wants jsonb, lease interval, max_lost integer, max_in_flight integer)
 RETURNS TABLE(n integer, status text, delivery_id uuid, event_id uuid, endpoint_id uuid, attempt_number integer, round_attempt integer, url text, secret_sealed bytea, previous_secret_sealed bytea, user_id uuid, line_id uuid, type text, payload text, from_number text, to_number text, claimed_at timestamp with time zone, next_due_ms double precision, is_replay boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  now_at timestamptz := clock_timestamp();
  due_until timestamptz := now_at + interval '50 milliseconds';
  next record;
  lane integer := -1;
  room integer;
  -- What may go out now: whose want it is, the delivery, and its event.
  due_of integer[] := '{}';
  due uuid[] := '{}';
  due_events uuid[] := '{}';
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_due uuid;
  last_due uuid;
  first_event uuid;
  last_event uuid;
  ordered uuid[] := '{}';
  blocked uuid[] := '{}';
  blocked_until timestamptz[];
begin
  for next in
    with wanted as materialized (
      select x.n, x.endpoint_id, x.delivery_id, least(x.places,
        least(e.places, (e.policy ->> 'requestsAtOnce')::integer, max_in_flight) - under_way.count
        - coalesce(sum(x.places) over (partition by x.endpoint_id order by x.n rows between unbounded preceding
          and 1 preceding), 0))::integer as places
      from jsonb_to_recordset(wants) as x(n integer, endpoint_id uuid, places integer, delivery_id uuid)
      join endpoints e on e.id = x.endpoint_id and e.paused_at is null
      cross join lateral (
        select count(*) as count from (
          select from deliveries d
          where d.endpoint_id = x.endpoint_id and d.status = 'delivering' and d.lease_until > now_at
          limit max_in_flight) taken
      ) under_way
    )
    select w.n, w.endpoint_id, w.delivery_id, w.places, d.id, d.event_id, d.is_ordered, d.due_at
    from wanted w cross join lateral (
      (select d.id, d.event_id, d.is_ordered, d.due_at from deliveries d
        where w.delivery_id is null and d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.lost_count < max_lost
        order by d.due_at, d.id limit w.places + 1)
      -- The end of a lane, behind all that waits in it.
      union all select null, null, null, 'infinity'
    ) d
    where w.places > 0 order by w.n, d.due_at, d.id
  loop
    if next.n <> lane then
      lane := next.n; room := next.places;
    end if;
    if next.delivery_id is not null then
      select d.id, d.event_id, d.is_ordered, now_at into next.id, next.event_id, next.is_ordered, next.due_at from deliveries d
      where d.id = next.delivery_id and d.status || '' = 'pending' and d.lost_count < max_lost and d.due_at <= due_until;
      continue when next.id is null;
    end if;
    continue when room = 0;
    if next.due_at <= due_until then
      due_of := due_of || next.n; due := due || next.id; due_events := due_events || next.event_id;
      first_due := least(first_due, next.id); last_due := greatest(last_due, next.id);
      first_event := least(first_event, next.event_id); last_event := greatest(last_event, next.event_id);
      if next.is_ordered then ordered := ordered || next.id; end if;
      room := room - 1;
    else
      n := next.n; status := 'idle'; endpoint_id := next.endpoint_id;
      next_due_ms := ceil(extract(epoch from nullif(next.due_at, 'infinity') - now_at) * 1000);
      room := 0;
      return next;
    end if;
  end loop;
  if cardinality(due) = 0 then
    return;
  end if;

  if cardinality(ordered) > 0 then
    select coalesce(array_agg(d.id), '{}'), array_agg(earlier.due_at) into blocked, blocked_until
    from deliveries d cross join lateral (
      select p.due_at from deliveries p
      where p.endpoint_id = d.endpoint_id and p.line_id = d.line_id and p.from_number = d.from_number
        and p.is_ordered and p.status in ('pending', 'delivering') and (p.created_at, p.id) < (d.created_at, d.id)
      order by p.created_at, p.id limit 1) earlier
    where d.id = any (ordered) and d.id between first_due and last_due;
  end if;

  return query
  with claimed as (
    update deliveries d
    set (status, attempt_count, round_attempt_count, lease_until, last_failure) = (
      select o.status, d.attempt_count + (o.status = 'delivering')::integer,
        d.round_attempt_count + (o.status = 'delivering')::integer,
        case when o.status = 'delivering' then now_at + lease end,
        case when o.status = 'exhausted' then 'disconnected' else d.last_failure end
      from (select case
        when d.application_id is not null and not may_have_delivery(d.application_id, d.line_id, d.type) then 'exhausted'
        -- It was deleted: no URL can follow. One that is still named only had its URL taken away.
        when e.removed_at is not null and not is_endpoint_named(e.id) then 'exhausted'
        when e.disabled_at is not null or e.removed_at is not null then 'held'
        when e.line_id is null and e.application_id is null then 'delivering'
        when d.application_id is null then case when (
          select c.enabled from developer_connections c where c.line_id = d.line_id and c.line_id = e.line_id limit 1
        ) then 'delivering' else 'held' end
        when is_endpoint_named(e.id, d.application_id) then 'delivering'
        else 'held' end as status offset 0) o)
    from endpoints e
    where d.id = any (due) and d.id between first_due and last_due and d.id <> all (blocked) and d.status || '' = 'pending' and e.id = d.endpoint_id
    returning due_of[array_position(due, d.id)] as n, d.status, d.id, d.event_id, d.endpoint_id, d.attempt_count,
      d.round_attempt_count, d.due_at, e.url, e.secret_sealed,
      case when e.previous_secret_until > now_at then e.previous_secret_sealed end as previous_secret_sealed,
      d.task_id is not null as is_replay
  )
  select c.n, c.status, c.id, c.event_id, c.endpoint_id, c.attempt_count, c.round_attempt_count, c.url, c.secret_sealed,
    c.previous_secret_sealed, v.user_id, v.line_id, v.type, v.payload, v.from_number, v.to_number, clock_timestamp(),
    null::double precision, c.is_replay
  from claimed c left join (
    select * from events where id = any (due_events) and id between first_event and last_event
  ) v on v.id = c.event_id
  order by c.due_at, c.id;

  if cardinality(blocked) > 0 then
    return query
    with parked as (
      update deliveries d set due_at = greatest(b.due_at, now_at + interval '30 seconds'),
        last_failure = 'earlier_event_waits'
      from unnest(blocked, blocked_until) as b(id, due_at)
      where d.id = any (blocked) and d.id between first_due and last_due and d.id = b.id and d.status || '' = 'pending'
      returning d.id, d.event_id, d.endpoint_id
    )
    select due_of[array_position(due, p.id)], 'parked', p.id, p.event_id, p.endpoint_id, null::integer, null::integer, null::text, null::bytea,
      null::bytea, null::uuid, null::uuid, null::text, null::text, null::text, null::text, null::timestamptz,
      null::double precision, null::boolean
    from parked p;
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.claim_inbound(members jsonb)
 RETURNS TABLE(n integer, earlier_id uuid)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  long_text record;
begin
  if jsonb_path_exists(members, '$[*].digest') then
    return query select a.n, a.earlier_id from take_smpp_arrivals(members) a where a.earlier_id is not null;
  end if;

  if jsonb_path_exists(members, '$[*].parts') then
    perform 1 from smpp_parts p where p.id = any (array(
      select (part.id #>> '{}')::uuid from jsonb_path_query(members, '$[*].parts[*]') as part(id)
    )) order by p.id for update;
    for long_text in
      select x.n, x.parts from jsonb_to_recordset(members) as x(n integer, parts uuid[])
      where x.parts is not null order by x.n
    loop
      -- Takes all parts or none.
      delete from smpp_parts p where p.id = any (long_text.parts) and cardinality(long_text.parts) = (
        select count(*) from smpp_parts q where q.id = any (long_text.parts));
      if not found then
        n := long_text.n; earlier_id := null;
        return next;
      end if;
    end loop;
  end if;

  return query
  with asked as materialized (
    select x.* from jsonb_to_recordset(members) as x(
      n integer, id uuid, carrier text, carrier_id text, digest text, parts jsonb)
    where x.digest is null and x.parts is null
  ), claimed as (
    insert into carrier_message_ids (carrier, carrier_message_id, message_id)
    select a.carrier, a.carrier_id, a.id from asked a order by a.carrier, a.carrier_id, a.n
    on conflict do nothing
    returning message_id
  )
  select a.n, null::uuid from asked a where a.id not in (select c.message_id from claimed c);
end $function$
;

CREATE OR REPLACE FUNCTION public.claim_messages(claims jsonb, lease interval, max_age interval, look_again interval, held_kinds text[], held_accounts uuid[])
 RETURNS TABLE(id uuid, claim uuid, verdict text, failure text, wait_ms integer, attempt integer, generation integer, line_id uuid, from_number text, to_number text, text text, media jsonb, age_ms double precision, account jsonb, number_limit integer, line_limit integer, has_other_route boolean, carrier_options jsonb, expires_in_ms double precision)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
  now_at timestamptz;
begin
  select array_agg(x.id order by x.id) into ids from jsonb_to_recordset(claims) as x(id uuid);
  first_id := ids[1];
  last_id := ids[cardinality(ids)];
  perform lock_sending(ids);
  now_at := clock_timestamp();

  return query
  with sending as materialized (
    select exists (select from all_sending where is_all and paused_at is not null) as is_paused
  ), found as materialized (
    select m.id, g.claim, m.job_generation, m.line_id, m.from_number, m.to_number, m.text, m.position, m.carrier_options, m.expires_at,
      greatest(m.created_at, m.send_at) as wanted_at,
      x.media, a.account, a.has_other_route, l.messages_per_minute, l.messages_per_number_per_minute, k.window_cleared_at, w.wait_ms,
      a.has_places, w.failure,
      case
        when m.to_country is null and jsonb_path_exists(l.routes, '$[*].countries') then 'unrouted'
        when w.is_paused and m.source <> 'service' and w.failure is null then 'stopped'
        when a.kind = any (held_kinds) and not a.id = any (held_accounts) and g.is_here is not true then 'elsewhere'
        when w.failure is not null then 'refused'
        when m.not_before > now_at + interval '50 milliseconds' then 'early'
        when (
          select true from messages p where p.line_id = m.line_id and p.to_number = m.to_number
            and p.status in ('queued', 'sending') and p.position < m.position
            and not (w.is_paused and p.status = 'queued' and p.source <> 'service') limit 1) then 'behind'
        when m.media_urls is not null and x.are_stored is not true then 'without_media'
        when k.paused_until > now_at then 'paused'
        when a.has_pace and not a.has_places then 'crowded'
      end as hindrance
    from (
      select distinct on (y.id) y.* from jsonb_to_recordset(claims)
        as y(id uuid, claim uuid, places_at text, is_here boolean)
    ) g
    cross join lateral (select * from messages where id = g.id and id between first_id and last_id limit 1) m
    join lines l on l.id = m.line_id
    cross join sending
    cross join lateral (
      select c.id, c.kind, coalesce(c.messages_per_second, c.messages_per_second_per_line) is not null as has_pace,
        c.paused_at is not null as is_paused, (c.name = g.places_at) is true as has_places,
        count(*) filter (where c.paused_at is null and (m.passed_over ? c.name) is not true) over () > 1 as has_other_route,
        jsonb_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'version', c.version,
          'messagesPerSecond', c.messages_per_second,
          'messagesPerSecondPerLine', c.messages_per_second_per_line, 'isAvoided', c.avoided_count > 0) as account
      from (
        -- Nearly every line has its own account only, and needs no list.
        select l.carrier, 1000::bigint as position where l.routes = '[]'
        union all
        select o.carrier, o.position from routes_of(l.carrier, l.routes, m.to_number, m.to_country) o
        where l.routes <> '[]'
      ) r
      join carrier_accounts c on c.name = r.carrier
      order by c.paused_at is not null, (m.passed_over ? c.name) is true, (c.avoided_until > now_at) is true, r.position
      limit 1
    ) a
    left join line_peers k on k.line_id = m.line_id and k.number = m.to_number
    left join lateral (
      select jsonb_agg(jsonb_build_object('token', d.token, 'contentType', d.content_type, 'byteCount', d.byte_count)
          order by d.id) as media,
        bool_and(d.status = 'stored') as are_stored, bool_or(d.status = 'failed') as has_failed,
        min(d.failure) filter (where d.status = 'failed') as failure
      from media d where d.message_id = m.id
    ) x on m.media_urls is not null
    cross join lateral (
      select l.paused_at is not null or a.is_paused or sending.is_paused as is_paused,
        case
          when greatest(m.created_at, m.send_at) < now_at - max_age or m.expires_at <= now_at then 'expired'
          when l.status <> 'active' then 'line_disabled'
          when k.opted_out_at is not null and m.id is distinct from k.opt_out_answer_id then 'opted_out'
          when x.has_failed then coalesce(x.failure, 'media_internal_error')
        end as failure,
        greatest(0, ceil(extract(epoch from greatest(m.not_before, k.paused_until) - now_at) * 1000))::integer as wait_ms
    ) w
    where m.status = 'queued'
  ), candidates as materialized (
    select f.id, f.line_id, f.to_number, f.has_places, f.position from found f where f.hindrance is null
  ), recent as materialized (
    select w.line_id, t.to_number, t.at from (select distinct c.line_id from candidates c) w cross join lateral (
      select c.to_number, c.handed_over_at as at from messages c
      where c.line_id = w.line_id and c.handed_over_at > now_at - window_length()
    ) t
    union all
    -- Uses the index of leases, because few messages are under way, while many may wait on the line.
    select c.line_id, c.to_number, now_at from messages c
    where c.status = 'sending' and c.lease_until > '-infinity'
      and c.line_id::text in (select line_id::text from candidates)
  ), of_lines as (
    select r.line_id, array_agg(r.at order by r.at) as times from recent r group by r.line_id
  ), of_numbers as (
    select c.id, array_agg(r.at order by r.at) as times from candidates c
    join found f on f.id = c.id
    join recent r on r.line_id = c.line_id and r.to_number = c.to_number
      and r.at > coalesce(f.window_cleared_at, '-infinity')
    group by c.id
  ), counted as materialized (
    select c.id, t.line_times, cardinality(t.number_times) as of_number, o.number_opens_ms,
      -- Messages that have their places come first. One whose number is full takes no place of the line.
      count(*) filter (where o.number_opens_ms is null)
        over (partition by c.line_id order by c.has_places desc, c.position) as nth
    from candidates c
    join found f on f.id = c.id
    left join of_lines on of_lines.line_id = c.line_id
    left join of_numbers on of_numbers.id = c.id
    cross join lateral (
      select coalesce(of_lines.times, '{}') as line_times, coalesce(of_numbers.times, '{}') as number_times
    ) t
    cross join lateral (
      select case when cardinality(t.number_times) >= f.messages_per_number_per_minute
        then opens_in_ms(t.number_times, f.messages_per_number_per_minute, now_at) end as number_opens_ms
    ) o
  ), judged as materialized (
    select f.*, o.opens_ms, case
        when f.hindrance is not null then f.hindrance
        when not f.has_places and (2 * (cardinality(c.line_times) + c.nth) > f.messages_per_minute
          or 2 * (c.of_number + 1) > f.messages_per_number_per_minute) then 'crowded'
        when o.opens_ms is not null then 'full'
        else 'claimed'
      end as verdict
    from found f
    left join counted c on c.id = f.id
    cross join lateral (
      select greatest(c.number_opens_ms, case when cardinality(c.line_times) + c.nth > f.messages_per_minute
        then opens_in_ms(c.line_times, greatest(f.messages_per_minute + 1 - c.nth::integer, 1), now_at) end) as opens_ms
    ) o
  ), claimed as (
    update messages m
    set status = 'sending', claimed_at = now_at, attempt_count = m.attempt_count + 1, claim_id = j.claim,
        lease_until = now_at + lease, carrier = j.account ->> 'name'
    from judged j
    where m.id = any (ids) and m.id between first_id and last_id and m.id = j.id and j.verdict = 'claimed' and m.status || '' = 'queued'
    returning m.id, m.attempt_count
  ), brought as (
    update messages m
    set due_at = case j.verdict
      when 'stopped' then j.wanted_at + max_age
      when 'paused' then now_at + make_interval(secs => j.wait_ms / 1000.0)
      else now_at + look_again end
    from judged j
    where m.id = any (ids) and m.id between first_id and last_id and m.id = j.id and j.verdict in ('stopped', 'behind', 'without_media', 'paused')
      and m.status || '' = 'queued'
  )
  select j.id, j.claim, j.verdict, j.failure,
    case when j.verdict = 'full' then greatest(j.opens_ms, 0) + 50 else j.wait_ms end,
    c.attempt_count, j.job_generation, j.line_id, j.from_number, j.to_number, j.text, j.media,
    (extract(epoch from now_at - j.wanted_at) * 1000)::double precision, j.account,
    j.messages_per_number_per_minute, j.messages_per_minute, j.has_other_route, j.carrier_options,
    (extract(epoch from j.expires_at - now_at) * 1000)::double precision
  from judged j
  left join claimed c on c.id = j.id
  where j.verdict <> 'claimed' or c.id is not null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_scheduled(line uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select count(*)::integer from (
    select 1 from messages m where m.line_id = line and m.status = 'scheduled' limit max_scheduled_per_line()) w
$function$
;

CREATE OR REPLACE FUNCTION public.create_deliveries(events jsonb, held_for text)
 RETURNS TABLE(event_id uuid, id uuid, endpoint_id uuid)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  lines uuid[];
  has_others boolean;
  -- Whom an event reaches otherwise than by its line.
  other_events uuid[] := '{}';
  other_endpoints uuid[] := '{}';
  other_applications uuid[] := '{}';
  made_events uuid[];
  made uuid[];
  made_endpoints uuid[];
  noted_applications uuid[];
  noted_lines uuid[];
begin
  select array_agg(distinct x.line_id) filter (where x.endpoint_id is null),
    bool_or(x.endpoint_id is not null or x.line_id is null) into lines, has_others
  from jsonb_to_recordset(events) as x(line_id uuid, endpoint_id uuid);

  if has_others then
    select array_agg(o.event_id), array_agg(o.endpoint_id), array_agg(o.application_id)
    into other_events, other_endpoints, other_applications
    from (
      select x.event_id, e.id as endpoint_id, e.application_id
      from jsonb_to_recordset(events) as x(event_id uuid, endpoint_id uuid) join endpoints e on e.id = x.endpoint_id
      where e.removed_at is null
      union all
      select x.event_id, e.id, null
      from jsonb_to_recordset(events) as x(event_id uuid, user_id uuid, line_id uuid) join endpoints e on e.user_id = x.user_id
      where x.line_id is null and e.line_id is null and e.application_id is null and e.removed_at is null
    ) o;
  end if;

  with asked as materialized (
    select * from jsonb_to_recordset(events) as x(
      event_id uuid, delivery_id uuid, user_id uuid, line_id uuid, event_type text, "from" text, opt_in boolean, endpoint_id uuid)
  ), given as (
    select a.event_id, a.user_id, a.line_id, a.event_type, a."from", r.endpoint_id, r.application_id,
      e.disabled_at is not null or held_for is not null as is_held,
      coalesce((e.policy ->> 'ordered')::boolean, false) as is_ordered,
      nth_id(a.delivery_id, row_number() over (
        partition by a.event_id order by r.application_id nulls first, e.line_id nulls first, e.id)) as id
    from (
      select a.event_id, o.endpoint_id, o.application_id
      from endpoints_of_lines(lines) o join asked a on a.line_id = o.line_id and a.endpoint_id is null
      union all select * from unnest(other_events, other_endpoints, other_applications)
    ) r join asked a on a.event_id = r.event_id join endpoints e on e.id = r.endpoint_id
    where case when a.opt_in then a.event_type = any (e.opt_in_events)
      else coalesce(e.policy -> 'declinedEvents', '[]') ? a.event_type is not true end
  ), made as (
    insert into deliveries (id, user_id, line_id, event_id, endpoint_id, application_id, status, last_failure, type,
      from_number, is_ordered)
    select g.id, g.user_id, g.line_id, g.event_id, g.endpoint_id, g.application_id,
      case when g.is_held then 'held' else 'pending' end, held_for, g.event_type, g."from", g.is_ordered
    from given g order by g.id
    returning id, event_id, endpoint_id, application_id, line_id, status
  )
  select array_agg(m.event_id) filter (where m.status = 'pending'), array_agg(m.id) filter (where m.status = 'pending'),
    array_agg(m.endpoint_id) filter (where m.status = 'pending'),
    array_agg(m.application_id) filter (where m.application_id is not null),
    array_agg(m.line_id) filter (where m.application_id is not null)
  into made_events, made, made_endpoints, noted_applications, noted_lines from made m;

  if noted_applications is not null then
    update application_lines a set last_received_at = now()
    where (a.application_id, a.line_id) in (
      select c.application_id, c.line_id from application_lines c
      where (c.application_id, c.line_id) in (select * from unnest(noted_applications, noted_lines))
        and (c.last_received_at is null or c.last_received_at < now() - interval '1 minute')
      for update of c skip locked);
  end if;
  return query select m.event_id, m.id, m.endpoint_id
    from unnest(made_events, made, made_endpoints) as m(event_id, id, endpoint_id) order by m.id;
end $function$
;

CREATE OR REPLACE FUNCTION public.due_work(overdue interval)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  now_at timestamptz := clock_timestamp();
begin
  return array_remove(array[
    case when exists (select from messages m where m.status = 'sending' and m.lease_until < now_at)
      then 'expired messages' end,
    case when exists (select from deliveries d where d.status = 'delivering' and d.lease_until < now_at)
      then 'expired deliveries' end,
    case when exists (select from media x where x.status = 'fetching' and x.lease_until < now_at)
      then 'expired media' end,
    case when exists (select from messages m where m.status = 'queued' and m.due_at < now_at - overdue)
      then 'stranded messages' end,
    case when exists (select from idle_lanes(overdue, 1)) then 'idle lanes' end,
    case when exists (select from media x where x.status = 'pending' and x.due_at < now_at - overdue)
      then 'stranded media' end,
    case when exists (select from tasks t where t.status in ('waiting', 'running') and t.due_at < now_at - overdue)
      then 'stranded tasks' end,
    -- Carriers are asked for an hour (domain/messages/reconcile.ts).
    case when exists (select from messages m where m.status = 'unknown' and m.claimed_at > now_at - interval '1 hour')
      then 'unknown messages' end,
    case when exists (
        select from messages m where m.expires_at <= now_at and m.status in ('queued', 'scheduled'))
      or exists (select from messages m where m.status = 'scheduled' and m.send_at is not null and m.due_at <= now_at)
      then 'scheduled messages' end,
    case when exists (select from all_sending where resumed_at is not null)
      or exists (select from carrier_accounts where resumed_at is not null)
      or exists (select from lines where resumed_at is not null)
      then 'resumptions' end,
    case when exists (select from simulator_outbox where receipt_sent_at is null) then 'simulated receipts' end,
    case when exists (select from dispatches where status = 'waiting' and due_at <= now_at) then 'mails' end
  ], null);
end $function$
;

CREATE OR REPLACE FUNCTION public.endpoints_of_lines(lines uuid[])
 RETURNS TABLE(line_id uuid, application_id uuid, endpoint_id uuid, is_disabled boolean, opt_in_events text[])
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
  select o.line_id, o.application_id, e.id, e.disabled_at is not null, e.opt_in_events
  from (
    select d.line_id, own.id as endpoint_id, null::uuid as application_id
    from developer_connections d join endpoints own on own.line_id = d.line_id and own.removed_at is null
    where d.line_id = any (lines) and d.enabled
    union all
    select c.line_id, a.endpoint_id, a.id from application_lines c join applications a on a.id = c.application_id
    where c.line_id = any (lines) and gets_events(c.scopes)
  ) o
  join lines l on l.id = o.line_id and l.status = 'active'
  join endpoints e on e.id = o.endpoint_id
  where e.removed_at is null;
end $function$
;

CREATE OR REPLACE FUNCTION public.ensure_partitions(parent text, first_month date, months integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  month_start timestamptz;
  partition text;
  definition text;
  created integer := 0;
begin
  -- Two processes may do this at the same time.
  perform pg_advisory_xact_lock(hashtextextended('ensure_partitions ' || parent, 0));
  for i in 0 .. months - 1 loop
    month_start := (date_trunc('month', first_month::timestamp) + make_interval(months => i)) at time zone 'UTC';
    partition := parent || to_char(month_start at time zone 'UTC', '_YYYYMM');
    if to_regclass(partition) is null then
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)', partition, parent,
          lowest_id_at(month_start), lowest_id_at((month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC'));
        -- Postgres copies triggers for rows, and none for statements.
        for definition in
          select pg_get_triggerdef(t.oid, true) from pg_trigger t
          where t.tgrelid = parent::regclass and not t.tgisinternal and t.tgtype & 1 = 0
        loop
          execute replace(definition, format(' ON %I ', parent), format(' ON %I ', partition));
        end loop;
        created := created + 1;
      exception when check_violation then
        raise warning 'rows of % are in the default partition already', partition;
      end;
    end if;
  end loop;
  return created;
end $function$
;

CREATE OR REPLACE FUNCTION public.fit_messages(requests jsonb, in_flight integer[], connected text[], max_queued_per_line integer)
 RETURNS TABLE(n integer, outcome text, message_id uuid, is_final boolean, number_limit integer, number_used integer, number_opens_ms integer, line_limit integer, line_used integer, line_opens_ms integer, line_waiting integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  now_at timestamptz := clock_timestamp();
  today date := (now_at at time zone 'UTC')::date;
  this_month date := date_trunc('month', today)::date;
begin
  return query
  with asked as materialized (
    select x.*, x.source = 'webhook' and later.is_later is not true as is_limited, later.is_later is true as is_later
    from jsonb_to_recordset(requests) as x(
      n integer, id uuid, line_id uuid, source text, application_id uuid, "to" text, text text, media jsonb,
      again_of uuid, "full" boolean, roomy boolean, scope_id uuid, key text, hash text,
      token_hash text, line_version text, segments integer, capped boolean, send_at timestamptz, expires_at timestamptz,
      client_ref text, carrier_options jsonb)
    cross join lateral (select x.send_at > now_at as is_later) later
  ), line_state as materialized (
    select l.id, l.user_id, l.number, l.messages_per_minute, l.messages_per_number_per_minute,
      recent.used, recent.oldest_at, waiting.count as waiting,
      case when d.has_later then count_scheduled(l.id) end as scheduled, l.xmin::text as version,
      l.status = 'active' and c.enabled is true as is_open,
      array[w.token_hash, case when w.previous_token_until > now_at then w.previous_token_hash end] as token_hashes
    from (
      select a.line_id, bool_and(a.roomy is true) as is_roomy, bool_or(a.is_later) as has_later from asked a group by a.line_id
    ) d
    join lines l on l.id = d.line_id
    left join incoming_webhooks w on w.line_id = l.id
    left join developer_connections c on c.line_id = l.id
    cross join lateral (
      select count(*)::integer as used, min(t.created_at) as oldest_at from (
        select m.created_at from messages m
        where m.line_id = l.id and m.source = 'webhook' and m.created_at > now_at - limit_window() and m.send_at is null
        order by m.created_at desc limit l.messages_per_minute) t
    ) recent
    cross join lateral (
      select case when not d.is_roomy then count(*)::integer end as count from (
        select 1 from messages m where not d.is_roomy and m.line_id = l.id and m.status in ('queued', 'sending')
        limit max_queued_per_line) w
    ) waiting
  ), settling as materialized (
    select a.*, k.message_id as known_id,
      case
        when a.token_hash is not null and (l.is_open and l.version = a.line_version
          and decode(a.token_hash, 'hex') = any (l.token_hashes)) is not true then 'webhook_changed'
        when a.n = any (in_flight) then 'key_in_flight'
        when a.application_id is not null
          and (a.application_id || ' ' || a.line_id = any (connected)) is not true then 'not_connected'
        when k.message_id is not null then
          case when k.request_hash = decode(a.hash, 'hex') then 'replayed' else 'key_reused' end
      end as settled
    from asked a
    join line_state l on l.id = a.line_id
    left join lateral (
      select i.message_id, i.request_hash from idempotency_keys i
      where i.scope_id = a.scope_id and i.key = a.key and i.created_at > now_at - key_lifetime()
    ) k on a.key is not null
  ), keyed as (
    select s.*, s.settled is null and (s.key is null or row_number() over of_key = 1) as is_new,
      first_value(s.id) over of_key as first_id, first_value(s.hash) over of_key as first_hash,
      case when s.key is null then s.line_id else first_value(s.line_id) over of_key end as first_line_id
    from settling s
    window of_key as (partition by s.scope_id, s.key, s.settled is null order by s.n)
  ), placed as (
    select a.*,
      -- Of repeats too: one of a request on another line may turn out to be the first.
      count(*) filter (where a.settled is null) over of_line - (a.settled is null)::integer as unsettled_before,
      count(*) filter (where a.is_new and not a.is_later) over of_line - (a.is_new and not a.is_later)::integer
        as waiting_before,
      count(*) filter (where a.is_new and a.is_later) over of_line - (a.is_new and a.is_later)::integer as later_before,
      count(*) filter (where a.is_new and a.is_limited) over of_line - (a.is_new and a.is_limited)::integer as line_before,
      count(*) filter (where a.is_new and a.is_limited) over of_number - (a.is_new and a.is_limited)::integer
        as number_before
    from keyed a
    window of_line as (partition by a.line_id order by a.n), of_number as (partition by a.line_id, a."to" order by a.n)
  ), number_state as materialized (
    select d.line_id, d."to", c.opted_out_at, recent.used, recent.oldest_at
    from (select distinct a.line_id, a."to" from asked a) d
    join line_state l on l.id = d.line_id
    left join line_peers c on c.line_id = d.line_id and c.number = d."to"
    cross join lateral (
      select count(*)::integer as used, min(t.created_at) as oldest_at from (
        select m.created_at from messages m
        where l.used > 0 and m.line_id = d.line_id and m.source = 'webhook' and m.to_number = d."to"
          and m.send_at is null and m.created_at > greatest(now_at - limit_window(), c.window_cleared_at)
        order by m.created_at desc limit l.messages_per_number_per_minute) t
    ) recent
  ), judged as materialized (
    select p.*, l.user_id, l.number as from_number, l.messages_per_minute, l.messages_per_number_per_minute,
      l.used as line_used, l.oldest_at as line_oldest_at, l.waiting, r.used as number_used, r.oldest_at as number_oldest_at,
      case
        when p.settled is not null then p.settled
        when not p.is_new then case when p.hash = p.first_hash then 'replayed' else 'key_reused' end
        when p.source = 'service' then 'accepted'
        when r.opted_out_at is not null and p.again_of is null then 'opted_out'
        when p.is_limited and (r.used + p.number_before >= l.messages_per_number_per_minute
          or l.used + p.line_before >= l.messages_per_minute) then 'rate_limited'
        when p.capped is true and p.segments > 0 and exists (
          select from spend_caps c where c.owner_id in (p.line_id, l.user_id)
            and case when c.day = today then c.used else 0 end + p.segments + (
              select coalesce(sum(b.segments), 0) from keyed b join line_state o on o.id = b.line_id
              where b.is_new and b.n < p.n and c.owner_id in (b.line_id, o.user_id)) > c.segments_per_day) then 'over_cap'
        when p.capped is true and p.segments > 0 and exists (
          select from spend_caps c where c.owner_id in (p.line_id, l.user_id) and c.amount_per_month <= (
            select coalesce(sum(s.amount), 0) from spending s where s.month = this_month and s.currency = c.currency
              and (s.line_id = c.owner_id or s.user_id = c.owner_id))) then 'over_monthly_cap'
        when p."full" then 'line_full'
        when p.is_later then
          case when l.scheduled + p.later_before >= max_scheduled_per_line() then 'line_full' else 'accepted' end
        when l.waiting + p.waiting_before >= max_queued_per_line then 'line_full'
        else 'accepted'
      end as outcome
    from placed p
    join line_state l on l.id = p.line_id
    join number_state r on r.line_id = p.line_id and r."to" = p."to"
  ), lines_asked as materialized (
    select j.line_id, bool_and(j.outcome = 'accepted') filter (where j.is_new) as fits,
      bool_or(not j.is_new and j.settled is null and j.first_line_id <> j.line_id) as repeats_another
    from judged j group by j.line_id having bool_or(j.is_new)
  ), fitting as materialized (
    select l.line_id from lines_asked l
    where l.fits and (not l.repeats_another or (select bool_and(o.fits) from lines_asked o))
  ), taken as materialized (
    select j.* from judged j where j.is_new and j.line_id in (select f.line_id from fitting f)
  ), queued as (
    insert into messages (id, user_id, line_id, direction, source, application_id, type, from_number, to_number, text,
      media_urls, again_of, status, created_at, due_at, position, send_at, expires_at, client_ref,
      carrier_options, segment_count)
    select j.id, j.user_id, j.line_id, 'outbound', j.source, j.application_id,
      case when j.media is null then 'text' else 'media' end, j.from_number, j."to", j.text,
      case when j.media is not null then array(select jsonb_path_query(j.media, '$[*].url') #>> '{}') end, j.again_of,
      case when j.is_later then 'scheduled' else 'queued' end, now_at, case when j.is_later then j.send_at else now_at end,
      nextval('message_positions'), case when j.is_later then j.send_at end, j.expires_at, j.client_ref,
      j.carrier_options, j.segments
    from (select * from taken order by taken.n) j
  ), copies as (
    insert into media (id, user_id, line_id, message_id, purpose, source_url, token)
    select x.id, j.user_id, j.line_id, j.id, 'outbound', x.url, x.token
    from taken j cross join lateral jsonb_to_recordset(j.media) as x(id uuid, url text, token text)
    where j.media is not null
  ), spent as (
    update spend_caps c
    set used = case when c.day = today then c.used else 0 end + s.segments, day = today
    from (
      select o.id, sum(j.segments) as segments
      from taken j cross join lateral unnest(array[j.line_id, j.user_id]) as o(id)
      where j.capped is true and j.segments > 0
      group by o.id
    ) s
    where c.owner_id = s.id
  ), keys as (
    insert into idempotency_keys as k (scope_id, key, request_hash, message_id, created_at)
    select j.scope_id, j.key, decode(j.hash, 'hex'), j.id, now_at
    from taken j where j.key is not null
    on conflict (scope_id, key) do update
    set request_hash = excluded.request_hash, message_id = excluded.message_id, created_at = excluded.created_at
  )
  select j.n, j.outcome,
    case when j.outcome = 'accepted' then j.id when j.settled is null and not j.is_new then j.first_id else j.known_id end,
    jsonb_array_length(requests) = 1 or (f.line_id is not null or (j.unsettled_before = 0 and not j.is_new))
      and (j.settled is not null or j.first_line_id in (select g.line_id from fitting g)),
    j.messages_per_number_per_minute, s.number_used, opens_ms(j.number_oldest_at, s.number_used, now_at),
    j.messages_per_minute, s.line_used, opens_ms(j.line_oldest_at, s.line_used, now_at), j.waiting
  from judged j
  left join fitting f on f.line_id = j.line_id
  cross join lateral (
    select j.number_used + (j.number_before + (j.is_limited and j.outcome = 'accepted')::integer)::integer as number_used,
      j.line_used + (j.line_before + (j.is_limited and j.outcome = 'accepted')::integer)::integer as line_used
  ) s
  order by j.n;
end $function$
;

CREATE OR REPLACE FUNCTION public.gets_events(scopes text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 'messages:connect' = any (scopes)
$function$
;

CREATE OR REPLACE FUNCTION public.idle_lanes(overdue interval, max_count integer)
 RETURNS TABLE(endpoint_id uuid, delivery_id uuid)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  with recursive lanes as (
    (select d.endpoint_id from deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
    union all
    select (select d.endpoint_id from deliveries d where d.status = 'pending' and d.endpoint_id > l.endpoint_id
      order by d.endpoint_id limit 1)
    from lanes l where l.endpoint_id is not null
  )
  select l.endpoint_id, first.id from lanes l cross join lateral (
    select d.id, d.due_at from deliveries d where d.endpoint_id = l.endpoint_id and d.status = 'pending'
    order by d.due_at, d.id limit 1
  ) first
  where first.due_at < clock_timestamp() - overdue
    and exists (select from endpoints e where e.id = l.endpoint_id and e.paused_at is null) and not exists (
    select from deliveries d
    where d.endpoint_id = l.endpoint_id and d.status = 'delivering' and d.lease_until > clock_timestamp())
  order by first.due_at limit max_count
$function$
;

CREATE OR REPLACE FUNCTION public.is_endpoint_named(endpoint uuid, application uuid DEFAULT NULL::uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
begin
  return exists (select from applications a
      where a.endpoint_id = endpoint and (application is null or a.id = application))
    or (application is null and exists (select from developer_connections c where c.endpoint_id = endpoint));
end $function$
;

CREATE OR REPLACE FUNCTION public.is_line_at(carrier text, routes jsonb, account text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select carrier = account or routes @> jsonb_build_array(jsonb_build_object('carrier', account))
$function$
;

CREATE OR REPLACE FUNCTION public.key_lifetime()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
AS $function$ select interval '24 hours' $function$
;

CREATE OR REPLACE FUNCTION public.limit_window()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
AS $function$ select interval '60 seconds' $function$
;

CREATE OR REPLACE FUNCTION public.lock_line(line uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_advisory_xact_lock(hashtextextended(line::text, 0))
$function$
;

CREATE OR REPLACE FUNCTION public.lock_sending(ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  lock bigint;
begin
  for lock in
    select distinct hashtextextended(m.line_id::text, 2) from messages m
    where m.id = any (ids) and m.id between ids[1] and ids[cardinality(ids)] order by 1
  loop
    perform pg_advisory_xact_lock(lock);
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.lowest_id_at(moment timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.max_scheduled_per_line()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ select 10000 $function$
;

CREATE OR REPLACE FUNCTION public.may_have_delivery(application uuid, line uuid, event_type text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
begin
  if event_type = 'lineDisconnected' then
    return exists (select from applications a where a.id = application and a.deleted_at is null);
  end if;
  return exists (select from application_lines c
    where c.application_id = application and c.line_id = line and gets_events(c.scopes));
end $function$
;

CREATE OR REPLACE FUNCTION public.may_send(scopes text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select scopes && array['messages:connect', 'messages:write']
$function$
;

CREATE OR REPLACE FUNCTION public.new_id()
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.note_carrier_ids(ids jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  insert into carrier_message_ids (carrier, carrier_message_id, message_id)
  select x.carrier, x.carrier_message_id, x.message_id
  from jsonb_to_recordset(ids) as x(carrier text, carrier_message_id text, message_id uuid)
  order by x.carrier, x.carrier_message_id, x.message_id
  on conflict do nothing;

  insert into carrier_message_ids_again (carrier, carrier_message_id, message_id)
  select x.carrier, x.carrier_message_id, x.message_id
  from jsonb_to_recordset(ids) as x(carrier text, carrier_message_id text, message_id uuid)
  where not exists (
    select 1 from carrier_message_ids c where c.carrier = x.carrier and c.carrier_message_id = x.carrier_message_id
      and c.message_id = x.message_id)
  order by x.carrier, x.carrier_message_id, x.message_id
  on conflict do nothing;
end $function$
;

CREATE OR REPLACE FUNCTION public.note_charges(charges jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  ids uuid[];
begin
  select array_agg((c.value ->> 'id')::uuid) into ids from jsonb_array_elements(charges) c;

  with given as materialized (
    select distinct on (x.id) x.* from (
      select g.*, c.ordinality as n from jsonb_array_elements(charges) with ordinality c
      cross join lateral jsonb_to_record(c.value) as g(id uuid, price numeric, currency text, "segmentCount" integer)
    ) x order by x.id, x.n desc
  ), before as materialized (
    select m.id, m.price, m.currency from messages m
    where m.id = any (ids) and m.direction = 'outbound' order by m.id for no key update
  ), noted as (
    update messages m
    set price = coalesce(g.price, m.price), currency = case when g.price is null then m.currency else g.currency end,
        carrier_segment_count = coalesce(g."segmentCount", m.carrier_segment_count)
    from given g join before b on b.id = g.id
    where m.id = any (ids) and m.id = g.id
      and (g.price is not null and (g.price, g.currency) is distinct from (m.price, m.currency)
        or g."segmentCount" is distinct from m.carrier_segment_count and g."segmentCount" is not null)
    returning m.line_id, m.user_id, m.price, m.currency, b.price as price_before, b.currency as currency_before,
      date_trunc('month', coalesce(m.handed_over_at, m.created_at) at time zone 'UTC')::date as month
  ), moved as (
    select n.line_id, n.user_id, n.month, n.currency, 1 as messages, n.price as amount from noted n
    where n.price is not null
    union all
    select n.line_id, n.user_id, n.month, n.currency_before, -1, -n.price_before from noted n
    where n.price_before is not null
  )
  insert into spending as s (line_id, user_id, month, currency, message_count, amount)
  select v.line_id, min(v.user_id::text)::uuid, v.month, v.currency, sum(v.messages), sum(v.amount)
  from moved v group by v.line_id, v.month, v.currency
  having sum(v.messages) <> 0 or sum(v.amount) <> 0
  order by v.line_id, v.month, v.currency
  on conflict (line_id, month, currency) do update
  set message_count = s.message_count + excluded.message_count, amount = s.amount + excluded.amount;
end $function$
;

CREATE OR REPLACE FUNCTION public.nth_id(base uuid, nth bigint)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select overlay(base::text placing lpad(to_hex(nth), 4, '0') from 33)::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.opens_in_ms(times timestamp with time zone[], allowed integer, now_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when cardinality(times) = 0 then 0 else
    ceil(extract(epoch from times[greatest(cardinality(times) - allowed, 0) + 1] + limit_window() - now_at) * 1000)::integer
  end
$function$
;

CREATE OR REPLACE FUNCTION public.opens_ms(oldest_at timestamp with time zone, used integer, now_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select case when used = 0 then 0
    else ceil(extract(epoch from coalesce(oldest_at, now_at) + limit_window() - now_at) * 1000)::integer end
$function$
;

CREATE OR REPLACE FUNCTION public.ping_pong_after(line uuid, peer text, now_at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
begin
  return (
    select case when count(*) filter (where direction = 'outbound') >= ping_pong_limit()
      then greatest(ping_pong_limit() + 1 - count(*) filter (where direction = 'inbound'), 1) end
    from (
      select m.direction, case m.direction when 'inbound' then m.created_at else coalesce(m.sent_at, m.claimed_at) end as at
      from messages m
      where m.line_id = line and (case m.direction when 'outbound' then m.to_number else m.from_number end) = peer
        and m.id >= lowest_id_at(now_at - interval '2 minutes')
        and m.status in ('received', 'sending', 'sent', 'delivered', 'unknown')
      order by m.id desc limit 200
    ) recent
    where at > now_at - limit_window()
  );
end $function$
;

CREATE OR REPLACE FUNCTION public.ping_pong_limit()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ select 10 $function$
;

CREATE OR REPLACE FUNCTION public.ping_pong_pause()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
AS $function$ select interval '10 minutes' $function$
;

CREATE OR REPLACE FUNCTION public.queue_messages(requests jsonb, max_queued_per_line integer)
 RETURNS TABLE(n integer, outcome text, message_id uuid, number_limit integer, number_used integer, number_opens_ms integer, line_limit integer, line_used integer, line_opens_ms integer, line_waiting integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  in_flight integer[];
  connected text[];
  judged record;
  rest integer[] := '{}';
  each integer;
begin
  select array_agg(tried.n) into in_flight from (
    select x.n, pg_try_advisory_xact_lock(hashtextextended(x.scope_id || ' ' || x.key, 1)) as is_ours
    from jsonb_to_recordset(requests) as x(n integer, scope_id uuid, key text, again_of uuid)
    where x.key is not null and x.again_of is null
  ) tried where not tried.is_ours;

  perform pg_advisory_xact_lock(asked.lock) from (
    select distinct hashtextextended(x.line_id::text, 0) as lock
    from jsonb_to_recordset(requests) as x(n integer, line_id uuid)
    where (x.n = any (in_flight)) is not true
    order by 1
  ) asked;

  if exists (select from spend_caps) then
    perform from spend_caps c
    where c.owner_id in (
      select o.id from jsonb_to_recordset(requests) as x(n integer, line_id uuid, segments integer)
      join lines l on l.id = x.line_id cross join lateral unnest(array[l.id, l.user_id]) as o(id)
      where x.segments > 0 and (x.n = any (in_flight)) is not true)
    order by c.owner_id for no key update;
    if found then
      select jsonb_agg(r.value || '{"capped": true}') into requests from jsonb_array_elements(requests) r;
    end if;
  end if;

  if jsonb_path_exists(requests, '$[*].application_id ? (@ != null)') then
    with used as (
      update application_lines a set last_sent_at = clock_timestamp()
      from (
        select distinct x.application_id, x.line_id
        from jsonb_to_recordset(requests) as x(n integer, application_id uuid, line_id uuid)
        where (x.n = any (in_flight)) is not true
      ) asked
      where a.application_id = asked.application_id and a.line_id = asked.line_id
        and may_send(a.scopes)
      returning a.application_id, a.line_id
    )
    select array_agg(used.application_id || ' ' || used.line_id) into connected from used;
  end if;

  for judged in select * from fit_messages(requests, in_flight, connected, max_queued_per_line) loop
    if judged.is_final then
      n := judged.n; outcome := judged.outcome; message_id := judged.message_id;
      number_limit := judged.number_limit; number_used := judged.number_used; number_opens_ms := judged.number_opens_ms;
      line_limit := judged.line_limit; line_used := judged.line_used; line_opens_ms := judged.line_opens_ms;
      line_waiting := judged.line_waiting;
      return next;
    else
      rest := rest || judged.n;
    end if;
  end loop;

  foreach each in array rest loop
    return query
      select f.n, f.outcome, f.message_id, f.number_limit, f.number_used, f.number_opens_ms,
        f.line_limit, f.line_used, f.line_opens_ms, f.line_waiting
      from fit_messages(jsonb_build_array(requests -> each), in_flight, connected, max_queued_per_line) f;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.receive_messages(inbound jsonb)
 RETURNS TABLE(n integer, outcome text, earlier_id uuid, line_id uuid, deliveries jsonb, is_paused boolean, has_paused boolean, is_waited_for boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  members jsonb := inbound;
  outdated integer[];
  repeated record;
  repeats integer[] := '{}';
  now_at timestamptz;
begin
  if jsonb_path_exists(inbound, '$[*].account_id') then
    select array_agg(x.n) into outdated
    from jsonb_to_recordset(inbound) as x(n integer, account_id uuid, account_version integer)
    left join lateral (select version from carrier_accounts where id = x.account_id limit 1) a on true
    where x.account_id is not null and a.version is distinct from x.account_version;
    if outdated is not null then
      return query select x.at, 'account_changed', null::uuid, null::uuid, null::jsonb, null::boolean, null::boolean,
        null::boolean from unnest(outdated) as x(at);
      select coalesce(jsonb_agg(m.value), '[]') into members
      from jsonb_array_elements(inbound) m where (m.value ->> 'n')::integer <> all (outdated);
    end if;
  end if;

  select coalesce(jsonb_agg(m.value || jsonb_build_object('line_id', l.id, 'user_id', l.user_id,
      'is_blocked', (
        select true from contacts c
        where c.number = m.value ->> 'from' and c.user_id = l.user_id and c.blocked_at is not null limit 1) is true)), '[]')
  into members
  from jsonb_array_elements(members) m
  cross join lateral (
    select id, user_id from lines
    where number = m.value ->> 'to' and (m.value ->> 'account_id' is null or is_line_at(carrier, routes, m.value ->> 'carrier')) limit 1
  ) l;

  for repeated in select * from claim_inbound(members) loop
    n := repeated.n; outcome := 'repeat'; earlier_id := repeated.earlier_id;
    repeats := repeats || repeated.n;
    return next;
  end loop;
  if cardinality(repeats) > 0 then
    select coalesce(jsonb_agg(m.value), '[]') into members
    from jsonb_array_elements(members) m where (m.value ->> 'n')::integer <> all (repeats);
  end if;

  -- Their events go out when they are copied (domain/media/settle.ts).
  if jsonb_path_exists(members, '$[*].media') then
    insert into media (id, user_id, line_id, message_id, event_id, purpose, source_url, carrier, token)
    select x.id, a.user_id, a.line_id, a.id, x.event_id, x.purpose, x.source_url, a.carrier, x.token
    from jsonb_to_recordset(members) as a(id uuid, user_id uuid, line_id uuid, carrier text, media jsonb)
    cross join lateral jsonb_to_recordset(a.media) as x(id uuid, event_id uuid, purpose text, source_url text, token text)
    where a.media is not null;
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select x.event_id, a.user_id, a.line_id, a.id, x.event_type, x.url, a."from", a."to"
    from jsonb_to_recordset(members) as a(n integer, id uuid, user_id uuid, line_id uuid, "from" text, "to" text,
      is_blocked boolean, media jsonb)
    cross join lateral jsonb_to_recordset(a.media) as x(event_id uuid, event_type text, url text)
    where a.media is not null and not a.is_blocked order by a.n, x.event_id;
  end if;

  now_at := clock_timestamp();
  return query
  with asked as materialized (
    select x.*, row_number() over (partition by x.line_id, x."from" order by x.n) as nth
    from jsonb_to_recordset(members) as x(
      n integer, id uuid, event_id uuid, user_id uuid, line_id uuid, carrier text, carrier_id text, "from" text, "to" text,
      type text, event_type text, text text, media jsonb, is_blocked boolean)
  ), senders as materialized (
    select s.line_id, s."from", s.count, s.first_shown_id, c.paused_until > now_at is true as was_paused,
      case when recent.count + s.count > ping_pong_limit() then ping_pong_after(s.line_id, s."from", now_at) end as pauses_at,
      (
        select true from messages p where p.line_id = s.line_id and p.to_number = s."from"
          and p.status in ('queued', 'sending') order by p.position limit 1
      ) is true as is_waited_for
    from (
      select a.line_id, a."from", count(*)::integer as count,
        (array_agg(a.id order by a.n) filter (where not a.is_blocked))[1] as first_shown_id
      from asked a group by a.line_id, a."from") s
    left join lateral (
      select k.heard_at, k.paused_until from line_peers k
      where k.line_id = s.line_id and k.number = s."from" limit 1
    ) c on true
    cross join lateral (
      select count(*) as count from unnest(c.heard_at) as h(at) where h.at > now_at - limit_window()
    ) recent
  ), peers as (
    insert into line_peers as c (line_id, number, window_cleared_at, heard_at, paused_until, unread_id)
    select s.line_id, s."from", case when s.pauses_at = 1 then null else now_at end,
      array_fill(now_at, array[least(s.count, ping_pong_limit() + 1)]),
      case when s.pauses_at <= s.count then now_at + ping_pong_pause() end, s.first_shown_id
    from senders s order by s.line_id, s."from"
    on conflict (line_id, number) do update set
      window_cleared_at = case when c.paused_until > now_at then c.window_cleared_at
        else greatest(c.window_cleared_at, excluded.window_cleared_at) end,
      heard_at = case when c.paused_until > now_at then c.heard_at
        else (c.heard_at || excluded.heard_at)[
          greatest(cardinality(c.heard_at) + cardinality(excluded.heard_at) - ping_pong_limit(), 1):] end,
      paused_until = case when c.paused_until > now_at then c.paused_until
        else coalesce(excluded.paused_until, c.paused_until) end,
      unread_id = coalesce(c.unread_id, excluded.unread_id),
      archived_at = case when excluded.unread_id is null then c.archived_at end
    returning line_id, number, paused_until > now_at is true as is_paused,
      paused_until = now_at + ping_pong_pause() is true as has_paused
  ), new_messages as (
    insert into messages (id, user_id, line_id, direction, source, type, from_number, to_number, text, media_urls,
      status, carrier_message_id)
    select a.id, a.user_id, a.line_id, 'inbound', 'carrier', a.type, a."from", a."to", a.text,
      case when a.media is not null then array(select jsonb_path_query(a.media, '$[*].url') #>> '{}') end,
      'received', a.carrier_id
    from (select * from asked order by asked.n) a
  ), new_events as (
    insert into events (id, user_id, line_id, message_id, type, payload, from_number, to_number)
    select a.event_id, a.user_id, a.line_id, a.id, a.event_type, coalesce(a.text, ''), a."from", a."to"
    from asked a where a.event_type is not null and not a.is_blocked order by a.n
  ), delivered as (
    select d.event_id, jsonb_agg(jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'generation', 0)) as list
    from create_deliveries(case when jsonb_path_exists(members, '$[*] ? (!exists(@.event_type) || @.is_blocked == true)')
      then jsonb_path_query_array(members, '$[*] ? (exists(@.event_type) && @.is_blocked == false)') else members end, null) d
    group by d.event_id
  )
  select a.n, 'received', null::uuid, a.line_id, coalesce(d.list, '[]'),
    c.is_paused and (s.was_paused or coalesce(a.nth >= s.pauses_at, true)),
    coalesce(c.has_paused and a.nth = s.pauses_at, false), s.is_waited_for
  from asked a
  join senders s on s.line_id = a.line_id and s."from" = a."from"
  join peers c on c.line_id = a.line_id and c.number = a."from"
  left join delivered d on d.event_id = a.event_id;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit_log is append-only, so % is refused', lower(tg_op)
    using errcode = 'insufficient_privilege', hint = 'To forget a month, drop its partition.';
end $function$
;

CREATE OR REPLACE FUNCTION public.release_scheduled(max_count integer)
 RETURNS TABLE(released jsonb, deliveries jsonb, failed jsonb, looked integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  now_at timestamptz := clock_timestamp();
  ids uuid[];
  lock bigint;
  queued jsonb;
  ended jsonb;
begin
  select array_agg(s.id) into ids from (
    select m.id from messages m where m.status = 'scheduled' and m.send_at is not null and m.due_at <= now_at
    order by m.due_at limit max_count
  ) s;
  if ids is null then
    return query select '[]'::jsonb, '[]'::jsonb, '[]'::jsonb, 0;
    return;
  end if;

  for lock in select distinct hashtextextended(m.line_id::text, 0) from messages m where m.id = any (ids) order by 1 loop
    perform pg_advisory_xact_lock(lock);
  end loop;
  -- Everybody who locks several does it in this order.
  perform from messages m where m.id = any (ids) order by m.id for no key update;
  now_at := clock_timestamp();

  with due as materialized (
    select m.id, m.due_at, m.position, m.application_id is null or exists (
        select from application_lines a where a.application_id = m.application_id and a.line_id = m.line_id
          and may_send(a.scopes)) as is_connected
    from messages m where m.id = any (ids) and m.status || '' = 'scheduled' and m.due_at <= now_at
  ), placed as materialized (
    select o.id, nextval('message_positions') as position
    from (select d.id from due d where d.is_connected order by d.due_at, d.position) o
  ), released as (
    update messages m
    set status = 'queued', position = p.position, due_at = now_at, job_generation = m.job_generation + 1
    from placed p where m.id = any (ids) and m.id = p.id
    returning m.id, m.job_generation, m.position
  ), ended as (
    update messages m set status = 'failed', error = 'disconnected'
    from due d where m.id = any (ids) and m.id = d.id and not d.is_connected
    returning m.id, m.user_id, m.line_id, m.from_number, m.to_number, m.status, m.error, m.carrier_code, m.client_ref,
      'scheduled' as status_before
  )
  select
    (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'generation', r.job_generation) order by r.position), '[]')
     from released r),
    (select coalesce(jsonb_agg(to_jsonb(e)), '[]') from ended e)
  into queued, ended;

  return query select queued, announce_messages(ended), jsonb_path_query_array(ended, '$[*].id'), cardinality(ids);
end $function$
;

CREATE OR REPLACE FUNCTION public.requeue_heads(conversations jsonb)
 RETURNS TABLE(id uuid, generation integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  heads uuid[];
  free uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_head uuid;
  last_head uuid;
begin
  select array_agg(head.id order by head.id) into heads from (
    select distinct x.line_id, x.to_number from jsonb_to_recordset(conversations) as x(line_id uuid, to_number text)
  ) c cross join lateral (
    select p.id, p.status from messages p where p.line_id = c.line_id and p.to_number = c.to_number
      and p.status in ('queued', 'sending') order by p.position limit 1
  ) head where head.status = 'queued';
  if heads is null then return; end if;
  first_head := heads[1];
  last_head := heads[cardinality(heads)];

  select array_agg(f.id) into free
  from (select m.id from messages m where m.id = any (heads) and m.id between first_head and last_head for update skip locked) f;

  return query
  with requeued as (
    update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp(), not_before = null
    where m.id = any (free) and m.id between first_head and last_head and m.status || '' = 'queued'
    returning m.id, m.job_generation
  )
  select h.id, r.job_generation from unnest(heads) as h(id) left join requeued r on r.id = h.id;
end $function$
;

CREATE OR REPLACE FUNCTION public.routes_of(carrier text, routes jsonb, "to" text, country text)
 RETURNS TABLE(carrier text, "position" bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select o.carrier, min(o.position) from (
    select r.carrier, r.position
    from rows from (jsonb_to_recordset($2) as (carrier text, countries text[], prefixes text[]))
      with ordinality as r(carrier, countries, prefixes, "position")
    where (r.countries is null and r.prefixes is null) or $4 = any (r.countries)
      or exists (select from unnest(r.prefixes) as p(prefix) where starts_with($3, p.prefix))
    union all
    select $1, 1000
  ) o
  group by o.carrier
$function$
;

CREATE OR REPLACE FUNCTION public.settle_deliveries(results jsonb, max_in_flight integer, disable_after interval)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
  over_in_order uuid[];
  changes jsonb;
begin
  select array_agg(x.delivery_id order by x.delivery_id) into ids from jsonb_to_recordset(results) as x(delivery_id uuid);
  first_id := ids[1];
  last_id := ids[cardinality(ids)];

  -- Before their states change: the deliveries that end now are under way too.
  select jsonb_agg(j) into changes from (
    select h.*, e.failing_since is not null or e.called_at is null as is_news, e.places as places_before, case
      when h.is_overloaded and (e.slowed_at is null or e.slowed_at < clock_timestamp() - interval '1 second')
        then greatest(least(e.places, max_in_flight) / 2, 1)
      when h.works and not h.is_slow and not h.is_overloaded and e.places < max_in_flight and e.places <= (
        select count(*) from (select from deliveries d where d.endpoint_id = h.id and d.status = 'delivering'
          limit e.places) under_way)
        then least(e.places + case when e.slowed_at > clock_timestamp() - slowdown() then 1
          else h.successes end, max_in_flight)
      else e.places end as places
    from (
      select g.endpoint_id as id, g.url, count(*) filter (where g.failure is not null)::integer as failures,
        count(*) filter (where g.failure is null)::integer as successes, max(g.failure) as failure,
        bool_or(g.status = 'delivered') as works, coalesce(bool_or(g.is_gone), false) as is_gone,
        coalesce(bool_or(g.is_slow), false) as is_slow,
        coalesce(bool_or(g.failure in ('timeout', 'http_429', 'template_too_heavy') or g.failure like 'http\_5%'), false)
          as is_overloaded
      from jsonb_to_recordset(results) as g(endpoint_id uuid, url text, failure text, status text, is_gone boolean, is_slow boolean)
      group by g.endpoint_id, g.url
    ) h join endpoints e on e.id = h.id and e.url = h.url offset 0
  ) j
  where not j.works or j.is_overloaded or j.is_news or j.places <> j.places_before;

  with given as materialized (
    select * from jsonb_to_recordset(results) as x(attempt_id uuid, delivery_id uuid, attempt_number integer,
      started_at timestamptz, duration_ms integer, response_status integer, response_excerpt text, failure text, status text,
      retry_in_ms bigint, dns_ms integer, connect_ms integer, tls_ms integer, first_byte_ms integer, request_headers text,
      response_headers text)
  ), attempts as (
    insert into delivery_attempts (id, delivery_id, attempt_number, started_at, duration_ms, response_status,
      response_excerpt, failure, next_attempt_at, dns_ms, connect_ms, tls_ms, first_byte_ms, request_headers,
      response_headers)
    select attempt_id, delivery_id, attempt_number, started_at, duration_ms, response_status, response_excerpt, failure,
      clock_timestamp() + make_interval(secs => retry_in_ms / 1000.0), dns_ms, connect_ms, tls_ms, first_byte_ms,
      request_headers::json, response_headers::json
    from given
    -- The attempt may be there already, from a statement whose answer was lost.
    on conflict do nothing
  ), settled as (
    update deliveries d set status = g.status, last_failure = g.failure, lease_until = null, lost_count = 0,
      due_at = clock_timestamp() + make_interval(secs => coalesce(g.retry_in_ms, 0) / 1000.0),
      delivered_at = case when g.status = 'delivered' then clock_timestamp() end
    from given g
    where d.id = any (ids) and d.id between first_id and last_id and d.id = g.delivery_id
      and d.attempt_count = g.attempt_number
      and (d.status || '' = 'delivering' or (g.status = 'delivered' and d.status <> 'delivered'))
    returning d.id, d.is_ordered and d.status <> 'pending' as is_over_in_order
  )
  select array_agg(s.id) into over_in_order from settled s where s.is_over_in_order;

  if over_in_order is not null then
    -- What was parked because of a delivery that is over now.
    update deliveries d set due_at = clock_timestamp()
    where d.id = any (array(
        select next.id from deliveries s cross join lateral (
          select p.id from deliveries p
          where p.endpoint_id = s.endpoint_id and p.line_id = s.line_id and p.from_number = s.from_number
            and p.is_ordered and p.status in ('pending', 'delivering') and (p.created_at, p.id) > (s.created_at, s.id)
          order by p.created_at, p.id limit 1) next
        where s.id = any (over_in_order) and s.id between first_id and last_id))
      and d.status || '' = 'pending' and d.last_failure = 'earlier_event_waits';
  end if;

  if changes is not null then
    with judged as materialized (
      select * from jsonb_to_recordset(changes) as x(id uuid, failures integer, failure text, works boolean, is_gone boolean,
        is_overloaded boolean, places integer)
    ), locked as (
      select e.id from endpoints e join judged j on j.id = e.id order by e.id for no key update of e
    )
    update endpoints e set
      called_at = coalesce(e.called_at, now()),
      failing_since = case when j.works then null else coalesce(e.failing_since, now()) end,
      consecutive_failure_count = case when j.works then 0 else e.consecutive_failure_count + j.failures end,
      last_failure = case when not j.works then coalesce(j.failure, e.last_failure) end,
      disabled_at = case when e.disabled_at is not null then e.disabled_at
        when j.is_gone or (not j.works and e.failing_since < now() - disable_after) then now() end,
      disabled_reason = case when e.disabled_at is not null then e.disabled_reason
        when j.is_gone then 'gone'
        when not j.works and e.failing_since < now() - disable_after then 'failing' end,
      places = j.places,
      slowed_at = case when j.is_overloaded then clock_timestamp() else e.slowed_at end
    from judged j, locked
    where e.id = j.id and e.id = locked.id;
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.settle_messages(settlements jsonb)
 RETURNS TABLE(requeued jsonb, deliveries jsonb)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  ids uuid[];
  -- Their months: `= any (…)` alone would have Postgres open every partition.
  first_id uuid;
  last_id uuid;
  changed jsonb;
begin
  select array_agg(x.id order by x.id) into ids from jsonb_to_recordset(settlements) as x(id uuid);
  first_id := ids[1];
  last_id := ids[cardinality(ids)];
  perform lock_sending(ids);

  with given as materialized (
    select * from jsonb_to_recordset(settlements) as x(id uuid, claim uuid, status text, error text, carrier text,
      "carrierMessageId" text, "carrierCode" text, "carrierReason" text, "dueInMs" integer, uncounted boolean, "passedOver" text,
      charge jsonb)
  ), before as materialized (
    -- Everybody who locks several does it in this order.
    select m.id, m.status, m.status in ('sending', 'unknown') as is_open from messages m
    where m.id = any (ids) and m.id between first_id and last_id order by m.id for no key update
  ), settled as (
    update messages m
    set status = case when b.is_open then g.status else m.status end,
        error = case when b.is_open then g.error else m.error end,
        carrier_code = case when b.is_open then g."carrierCode" else m.carrier_code end,
        carrier_reason = case when b.is_open then g."carrierReason" else m.carrier_reason end,
        carrier_message_id = coalesce(g."carrierMessageId", m.carrier_message_id),
        carrier_segment_count = coalesce((g.charge ->> 'segmentCount')::integer, m.carrier_segment_count),
        lease_until = null,
        -- A claim that is given back has no error: nothing was tried.
        passed_over = case when not b.is_open or g.status <> 'queued' or g.error is null then m.passed_over
          when g."passedOver" is not null
            then coalesce(m.passed_over, '{}') || jsonb_build_object(g.carrier, g."passedOver") end,
        -- If the carrier may have seen the message, it has seen it by now.
        handed_over_at = case when not b.is_open then m.handed_over_at
          when g.status <> 'queued' then clock_timestamp() end,
        sent_at = case when g.status = 'sent' then coalesce(m.sent_at, clock_timestamp()) else m.sent_at end,
        due_at = clock_timestamp() + make_interval(secs => coalesce(g."dueInMs", 0) / 1000.0),
        not_before = clock_timestamp() + make_interval(secs => g."dueInMs" / 1000.0),
        attempt_count = m.attempt_count - (g.uncounted is true and b.is_open)::integer
    from given g join before b on b.id = g.id
    -- The condition on ids is needed: with the record set alone, the planner reads the whole table for a handful of rows.
    where m.id = any (ids) and m.id between first_id and last_id and m.id = g.id and m.claim_id = g.claim
      and (b.is_open or b.status in ('sent', 'delivered', 'failed'))
      and not case when g.status = 'queued' and b.status = 'unknown' then
        exists (select 1 from messages p where p.line_id = m.line_id and p.handed_over_at > m.claimed_at
          and p.to_number = m.to_number and p.position > m.position)
        or exists (select 1 from messages p where p.status = 'sending' and p.lease_until > '-infinity'
          and p.line_id = m.line_id and p.to_number = m.to_number and p.position > m.position)
        else false end
    returning m.id, m.user_id, m.line_id, m.from_number, m.to_number, m.status, m.error, m.carrier_code,
      case when b.is_open then g."carrierReason" end as carrier_reason, m.client_ref,
      m.price::text as price, m.currency, g.charge, b.status as status_before
  )
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into changed from settled s;

  perform note_carrier_ids(jsonb_agg(jsonb_build_object(
    'carrier', x.carrier, 'carrier_message_id', x."carrierMessageId", 'message_id', x.id)))
  from jsonb_to_recordset(settlements) as x(id uuid, carrier text, "carrierMessageId" text)
  where x."carrierMessageId" is not null having count(*) > 0;

  if jsonb_path_exists(settlements, '$[*].charge.price') then
    perform note_charges(jsonb_agg(x.charge || jsonb_build_object('id', x.id)))
    from jsonb_to_recordset(settlements) as x(id uuid, charge jsonb) where x.charge ? 'price';
  end if;

  return query
  select coalesce((
      select jsonb_agg(jsonb_build_object('id', h.id, 'generation', h.generation))
      from requeue_heads(jsonb_path_query_array(changed, '$[*] ? (@.status != "queued")')) h
    ), '[]'), announce_messages(changed);
end $function$
;

CREATE OR REPLACE FUNCTION public.slowdown()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
AS $function$ select interval '10 minutes' $function$
;

CREATE OR REPLACE FUNCTION public.step_lanes(results jsonb, wants jsonb, lease interval, max_lost integer, max_in_flight integer, disable_after interval)
 RETURNS TABLE(n integer, status text, delivery_id uuid, event_id uuid, endpoint_id uuid, attempt_number integer, round_attempt integer, url text, secret_sealed bytea, previous_secret_sealed bytea, user_id uuid, line_id uuid, type text, payload text, from_number text, to_number text, claimed_at timestamp with time zone, next_due_ms double precision, is_replay boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended(lane.endpoint_id::text, 3)) from (
    select x.endpoint_id from jsonb_to_recordset(results) as x(endpoint_id uuid)
    union select x.endpoint_id from jsonb_to_recordset(wants) as x(endpoint_id uuid)
    order by 1
  ) lane;

  if jsonb_array_length(results) > 0 then
    perform settle_deliveries(results, max_in_flight, disable_after);
  end if;

  if jsonb_array_length(wants) > 0 then
    return query select * from claim_in_lanes(wants, lease, max_lost, max_in_flight);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.take_simulated_messages(messages jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into simulator_outbox (carrier_message_id, message_id, from_number, to_number, text, media_urls)
  select x."carrierMessageId", x."messageId", x."fromNumber", x."toNumber", x.text, array(select jsonb_array_elements_text(x."mediaUrls"))
  from jsonb_to_recordset(messages) as x("carrierMessageId" uuid, "messageId" uuid, "fromNumber" text, "toNumber" text,
    text text, "mediaUrls" jsonb);
end $function$
;

CREATE OR REPLACE FUNCTION public.take_smpp_arrivals(arrivals jsonb)
 RETURNS TABLE(n integer, earlier_id uuid)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  last_turn integer;
begin
  perform pg_advisory_xact_lock(asked.lock) from (
    select distinct ('x' || substr(x.digest, 1, 16))::bit(64)::bigint as lock
    from jsonb_to_recordset(arrivals) as x(digest text) where x.digest is not null order by 1
  ) asked;

  select coalesce(max(equal.count), 0) into last_turn from (
    select count(*) from jsonb_to_recordset(arrivals) as x(digest text) where x.digest is not null group by x.digest
  ) equal;
  for this_turn in 1 .. last_turn loop
    return query
    with arriving as materialized (
      select x.n, x.arrival_id as id, decode(x.digest, 'hex') as digest, x.session_id, x.open_session_ids, x.silent_ms, x.forgotten_ms
      from (
        select *, row_number() over (partition by r.digest order by r.n) as turn
        from jsonb_to_recordset(arrivals) as r(
          n integer, arrival_id uuid, digest text, session_id uuid, open_session_ids uuid[], silent_ms integer,
          forgotten_ms integer)
        where r.digest is not null
      ) x where x.turn = this_turn
    ), judged as materialized (
      select a.*, e.id as earlier_id from arriving a
      left join lateral (
        select s.id from smpp_inbound s
        where s.digest = a.digest
          and s.created_at > clock_timestamp() - a.forgotten_ms * interval '1 ms'
          and (s.id = a.id
            or s.session_id <> all (a.open_session_ids)
            or (s.session_id <> a.session_id and s.created_at < clock_timestamp() - a.silent_ms * interval '1 ms'))
        order by s.id limit 1
      ) e on true
    ), repeated as (
      update smpp_inbound s set session_id = j.session_id from judged j
      where s.id = any (array(select r.earlier_id from judged r)) and s.id = j.earlier_id
    ), noted as (
      insert into smpp_inbound (id, digest, session_id)
      select j.id, j.digest, j.session_id from judged j where j.earlier_id is null
    )
    select j.n, j.earlier_id from judged j;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.wake_messages(line uuid, after bigint, max_count integer, look_again interval)
 RETURNS TABLE(id uuid, generation integer, "position" bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  ids uuid[];
  firsts boolean[];
  now_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended(line::text, 2));
  now_at := clock_timestamp();

  select array_agg(w.id), array_agg(w.is_first) into ids, firsts from (
    select m.id, x.is_first from messages m cross join lateral (
      select not exists (
        select from messages p where p.line_id = m.line_id and p.to_number = m.to_number
          and p.status in ('queued', 'sending') and p.position < m.position) as is_first
    ) x
    where m.line_id = line and m.status = 'queued' and m.position > after
      and m.due_at > greatest(case when x.is_first then now_at else now_at + look_again end, m.not_before)
    order by m.position limit max_count
  ) w;
  if ids is null then return; end if;

  -- Everybody who locks several does it in this order.
  perform from messages m where m.id = any (ids) order by m.id for no key update;

  return query
  with woken as (
    update messages m
    set job_generation = m.job_generation + (o.is_first and coalesce(m.not_before <= now_at, true))::integer,
        due_at = case when o.is_first then greatest(now_at, m.not_before) else now_at + look_again end
    from unnest(ids, firsts) as o(id, is_first)
    where m.id = any (ids) and m.id = o.id and m.status || '' = 'queued'
    returning m.id, m.position,
      case when o.is_first and coalesce(m.not_before <= now_at, true) then m.job_generation end as generation
  )
  select w.id, w.generation, w.position from woken w order by w.position;
end $function$
;

CREATE OR REPLACE FUNCTION public.window_length()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select limit_window() + interval '50 milliseconds'
$function$
;
