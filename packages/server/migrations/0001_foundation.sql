-- Installation, keys and environments

create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null,
  created_at timestamptz not null
);

-- Data keys encrypt everything that is sealed, and make the look-up hashes.
create table data_keys (
  id uuid primary key,
  environment_id uuid,
  purpose text not null check (purpose in ('seal', 'lookup')),
  created_at timestamptz not null,
  -- A replaced key seals nothing new; it still opens what it has sealed.
  replaced_at timestamptz
);
create unique index data_keys_current
  on data_keys (coalesce(environment_id, '00000000-0000-0000-0000-000000000000'), purpose) where replaced_at is null;

-- One data key under each master key that some process may have: more than one only while they change over.
create table wrapped_data_keys (
  data_key_id uuid not null references data_keys (id) on delete cascade,
  master_key_id text not null,
  wrapped bytea not null,
  primary key (data_key_id, master_key_id)
);

-- Processes that serve, and the master key that each wraps with; by the database's clock.
create table master_key_holders (
  process_id uuid primary key,
  master_key_id text not null,
  seen_at timestamptz not null
);

-- Replacing of all data keys; its progress is kept so that it goes on after a crash.
create table vault_rotations (
  id uuid primary key,
  started_at timestamptz not null,
  finished_at timestamptz,
  progress jsonb not null default '{}'
);
create unique index vault_rotations_running on vault_rotations ((true)) where finished_at is null;

create table accounts (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

create table environments (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  is_production boolean not null default false,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index environments_name on environments (account_id, name) where deleted_at is null;

create table environment_settings (
  environment_id uuid primary key references environments (id) on delete cascade,
  settings jsonb not null default '{}',
  updated_at timestamptz not null
);

create table environment_variables (
  environment_id uuid not null references environments (id) on delete cascade,
  name text not null,
  value bytea not null,
  updated_at timestamptz not null,
  primary key (environment_id, name)
);

create table webhook_settings (
  environment_id uuid primary key references environments (id) on delete cascade,
  primary_url text not null default '',
  secondary_url text not null default '',
  on_sync_completion_always boolean not null default true,
  on_auth_creation boolean not null default true,
  on_auth_refresh_error boolean not null default true,
  on_sync_error boolean not null default true,
  on_async_action_completion boolean not null default true,
  on_webhook_sync_completion boolean not null default true,
  forward boolean not null default true,
  updated_at timestamptz not null
);

create table webhook_signing_keys (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  key bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz
);
create index webhook_signing_keys_environment on webhook_signing_keys (environment_id, created_at desc);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  environment_id uuid references environments (id) on delete cascade,
  display_name text not null,
  scopes text[] not null,
  lookup_hash bytea not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at timestamptz
);
create unique index api_keys_lookup_hash on api_keys (lookup_hash);
create unique index api_keys_display_name
  on api_keys (account_id, coalesce(environment_id, account_id), display_name) where deleted_at is null;

-- What stands before every route

-- Counts for one minute at most: after a crash it may begin anew.
create unlogged table rate_limits (
  account_id uuid not null references accounts (id) on delete cascade,
  bucket text not null,
  window_number bigint not null,
  calls integer not null,
  primary key (account_id, bucket)
) with (fillfactor = 50);

-- Answers by Idempotency-Key; hashes and answer are made with the caller's API key, which is not stored.
create table kept_answers (
  api_key_id uuid not null references api_keys (id) on delete cascade,
  key_hash bytea not null,
  request_hash bytea not null,
  -- Null while the first request runs.
  answer bytea,
  -- Whether something outside may have changed: set before the call that may change it leaves.
  has_effects boolean not null default false,
  fence bigint not null,
  turn_until timestamptz not null,
  expires_at timestamptz not null,
  primary key (api_key_id, key_hash)
);
create index kept_answers_expiry on kept_answers (expires_at);

-- Integrations and connections

create table integrations (
  id bigint generated always as identity primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  unique_key text not null,
  provider text not null,
  display_name text,
  forward_webhooks boolean not null default true,
  credentials bytea,
  integration_config jsonb not null default '{}',
  custom jsonb not null default '{}',
  settings jsonb not null default '{}',
  -- Of a custom provider: the definition that the integration works by. Not jsonb, for the order of fields counts.
  provider_entry json,
  provider_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index integrations_unique_key on integrations (environment_id, unique_key) where deleted_at is null;

create table custom_providers (
  environment_id uuid not null references environments (id) on delete cascade,
  slug text not null,
  version integer not null,
  replaces_built_in boolean not null,
  entry json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment_id, slug)
);

-- How the stages of connecting ended (ConnectStage of the contract); a process adds its sums every few seconds.
create table provider_stage_counts (
  environment_id uuid not null references environments (id) on delete cascade,
  day date not null,
  provider text not null,
  stage text not null,
  succeeded bigint not null,
  failed bigint not null,
  primary key (environment_id, day, provider, stage)
);

create table connections (
  id bigint generated always as identity primary key,
  uuid uuid not null unique,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id),
  connection_id text not null,
  auth_mode text not null,
  metadata jsonb,
  tags jsonb not null default '{}',
  connection_config jsonb not null default '{}',
  webhook_url_override text,
  errors jsonb not null default '[]',
  from_session boolean not null default false,

  credentials bytea not null,
  -- Raised by every write of credentials; a refresh only replaces the version it started from.
  credential_version integer not null default 1,
  -- Keyed hash of the token that a withdrawal would end: other connections may hold it too.
  held_token_hash bytea,
  credentials_issued_at timestamptz,
  credentials_expire_at timestamptz,

  -- Lease of the one refresh that may run; leases use the database's clock.
  refresh_fence bigint not null default 0,
  refresh_lease_until timestamptz,
  -- Process that holds the lease, so that its death can be noticed before the lease ends.
  refresh_owner text,
  refresh_failures integer not null default 0,
  refresh_not_before timestamptz,
  refresh_error jsonb,
  needs_reauthorization_at timestamptz,
  -- When the refresh token is used though nobody asks; null where there is none.
  next_refresh_at timestamptz,

  -- What a search looks through.
  search_text text generated always as (lower(
    connection_id || E'\n' || coalesce(tags ->> 'end_user_display_name', '')
      || E'\n' || coalesce(tags ->> 'end_user_email', ''))) stored,
  last_fetched_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index connections_connection_id
  on connections (environment_id, connection_id, integration_id) where deleted_at is null;
-- Carries the text, so that a search reads the index alone and stops as soon as its page is full.
create index connections_created
  on connections (environment_id, created_at desc, id desc) include (search_text) where deleted_at is null;
create index connections_integration
  on connections (environment_id, integration_id, created_at desc, id desc) where deleted_at is null;
create index connections_next_refresh on connections (next_refresh_at)
  where deleted_at is null and needs_reauthorization_at is null and next_refresh_at is not null;
create index connections_held_token on connections (held_token_hash)
  where deleted_at is null and held_token_hash is not null;
-- What events of providers are matched by.
create index connections_config on connections using gin (connection_config jsonb_path_ops) where deleted_at is null;
create index connections_metadata on connections using gin (metadata jsonb_path_ops) where deleted_at is null;
create index connections_tags on connections using gin (tags jsonb_path_ops) where deleted_at is null;

create table connect_sessions (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  token_hash bytea not null unique,
  settings jsonb not null,
  -- Sealed: what the customer fixed for each integration; may hold an OAuth client's secret.
  defaults bytea,
  -- The connection that the session authorises anew.
  reconnect_connection uuid,
  state text not null default 'waiting' check (state in ('waiting', 'success', 'error')),
  -- Set before `state`: while a check of the customer runs, no other attempt may take the session.
  connection_uuid uuid,
  is_pending boolean not null default false,
  error jsonb,
  attempt_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index connect_sessions_expiry on connect_sessions (expires_at);
create index connect_sessions_pending on connect_sessions (connection_uuid) where is_pending;

-- One row per browser on its way through an authorization server; the callback takes it out.
create table authorization_flows (
  id uuid primary key,
  state_hash bytea not null unique,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id),
  connect_session_id uuid not null references connect_sessions (id) on delete cascade,
  -- Sealed: code verifier, browser binding, connection config, scopes.
  secrets bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index authorization_flows_expiry on authorization_flows (expires_at);

-- Functions

create table function_bundles (
  environment_id uuid not null references environments (id) on delete cascade,
  sha256 bytea not null,
  code text not null,
  source text not null,
  source_map text,
  created_at timestamptz not null,
  primary key (environment_id, sha256)
);

create table functions (
  id bigint generated always as identity primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id),
  type text not null check (type in ('sync', 'action', 'on-event')),
  name text not null,
  version text not null,
  enabled boolean not null default true,
  source text not null check (source in ('repo', 'standalone')),
  definition jsonb not null,
  bundle_sha256 bytea not null,
  deployed_at timestamptz not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  foreign key (environment_id, bundle_sha256) references function_bundles (environment_id, sha256)
);
create unique index functions_name on functions (environment_id, integration_id, type, name) where deleted_at is null;

-- Source texts sent to be run without a trace, or deployed. What was sent goes with the end.

create table function_jobs (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  kind text not null check (kind in ('dry-run', 'deployment')),
  status text not null check (status in ('waiting', 'running', 'success', 'failed')),
  integration_key text not null,
  function_name text not null,
  function_type text not null check (function_type in ('sync', 'action', 'on-event')),
  actor jsonb not null,
  request bytea,
  outcome bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz
);
create index function_jobs_environment on function_jobs (environment_id, kind, created_at desc);
create index function_jobs_age on function_jobs (created_at);

-- Syncs: the row is the schedule of one connection, sync and variant.

create table syncs (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null references connections (uuid),
  function_id bigint not null references functions (id),
  name text not null,
  variant text not null default 'base',
  paused boolean not null,
  frequency_override text,
  -- The grid of runs: anchor + n * interval.
  interval_ms bigint not null,
  anchored_at timestamptz not null,
  next_run_at timestamptz,
  -- The run that holds this sync. What asks for a run of its own (a trigger, a retry) is kept for the next one.
  running_run_id uuid,
  fence bigint not null default 0,
  follow_up jsonb,
  last_sync_date timestamptz,
  -- The runs since the last success: when the first of them began, and what they have changed that nobody was told of.
  unfinished jsonb,
  consecutive_failures integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index syncs_name on syncs (environment_id, connection_uuid, name, variant) where deleted_at is null;
-- A paused sync runs when it is asked to. There is none by next_run_at alone: it would be walked for the share of
-- an environment, too, past the due syncs of all others.
create index syncs_due on syncs (environment_id, next_run_at)
  where deleted_at is null and running_run_id is null and (not paused or follow_up is not null);
create index syncs_running on syncs (environment_id) where running_run_id is not null;
create index syncs_function on syncs (function_id) where deleted_at is null;

create table runs (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  kind text not null check (kind in ('sync', 'webhook', 'action', 'on-event')),
  function_id bigint not null references functions (id),
  connection_uuid uuid not null,
  sync_id uuid,
  state text not null check (state in ('waiting', 'running', 'success', 'failed', 'cancelled')),
  fence bigint not null default 0,
  attempts integer not null default 0,
  cancel_requested_at timestamptz,
  full_run boolean not null default false,
  trigger jsonb not null default '{}',
  result jsonb not null default '{}',
  error jsonb,
  -- What a webhook's handler is given, until it has ended.
  input_id uuid,
  -- Null until the run has begun for the first time.
  operation_id uuid,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz
);
create index runs_input on runs (input_id) where input_id is not null;
create index runs_sync on runs (sync_id, created_at desc) where sync_id is not null;
-- Not led by the environment: while the table has no statistics, that would pass for as good as the id of a run.
create index runs_open on runs (connection_uuid) where state in ('waiting', 'running');

-- What handlers of webhooks are given: one row for all runs of an event, until the last of them has ended.
create table webhook_inputs (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  -- Sealed.
  input bytea not null
);
-- Sealed bytes do not compress.
alter table webhook_inputs alter column input set storage external;

-- Actions that nobody waits for: their input until they have ended, their outcome for a while after.
create table async_actions (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  function_id bigint not null references functions (id),
  connection_uuid uuid not null,
  state text not null check (state in ('waiting', 'running', 'success', 'failed')),
  -- Sealed.
  input bytea,
  outcome bytea,
  fence bigint not null default 0,
  attempts integer not null default 0,
  failures integer not null default 0,
  max_retries integer not null,
  -- Whether something outside may have changed: set before the call that may change it leaves.
  has_effects boolean not null default false,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index async_actions_ended on async_actions (ended_at);

-- Pools of workers that are alive; leases use the database's clock.
create table worker_heartbeats (
  pool_id text primary key,
  process text not null,
  -- How many syncs its process may run at once.
  places integer not null default 0,
  seen_at timestamptz not null
);

-- Work that takes turns: of one lane one piece at a time, in the order of `position`.
create table lane_tasks (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  task text not null,
  lane text not null,
  position bigint generated always as identity,
  payload jsonb not null,
  -- blocked: others of its lane stand before it; ready: has its turn, from run_at on; handed: is in the queue.
  state text not null check (state in ('blocked', 'ready', 'handed')),
  run_at timestamptz not null
);
create index lane_tasks_lane on lane_tasks (task, lane, position);
create index lane_tasks_ready on lane_tasks (task, environment_id, run_at, position) where state = 'ready';
create index lane_tasks_handed on lane_tasks (task, environment_id) where state = 'handed';

-- Taken by running functions; times are the database's.
create table function_locks (
  environment_id uuid not null references environments (id) on delete cascade,
  key text not null,
  owner uuid not null,
  expires_at timestamptz not null,
  primary key (environment_id, key)
);

create table checkpoints (
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  key text not null,
  -- Null once cleared: the version goes on, so that an older run cannot save over it.
  checkpoint jsonb,
  version integer not null default 1,
  updated_at timestamptz not null,
  primary key (environment_id, connection_uuid, key)
);

-- Records

-- The models of an environment have the ids from number * 2^32 on, so that its records are partitions of their own.
create table record_environments (
  environment_id uuid primary key references environments (id) on delete cascade,
  number integer not null unique generated always as identity (maxvalue 2000000)
);
create sequence record_model_numbers maxvalue 4294967295;

create table record_models (
  id bigint not null unique,
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  -- `Model::variant` for another variant than base.
  model text not null,
  -- Writers of one model take turns on this row; it hands out the order of changes.
  sequence bigint not null default 0,
  last_modified_at timestamptz not null,
  live_count bigint not null default 0,
  -- No stored payload is larger.
  max_bytes bigint not null default 0,
  -- Up to here in the order no record has a payload.
  pruned_through bigint not null default 0,
  -- Whether ids that are saved are noted in record_sightings.
  is_tracking boolean not null default false,
  -- How many records a run wanted to delete when the guard stopped it, and how many a person has allowed since.
  refused_deletes bigint,
  allowed_deletes bigint not null default 0,
  primary key (environment_id, connection_uuid, model)
);

-- One short column names the model: it stands in every row and in both indexes, and a look-up by id cannot be
-- mistaken for a scan of the model while a partition has no statistics yet. A partition per environment, made
-- with its first model, is dropped as a whole. Seven records of 1 KB fit a page: mind the order of columns.
create table records (
  model_id bigint not null,
  sequence bigint not null,
  first_seen_at timestamptz not null,
  last_modified_at timestamptz not null,
  deleted_at timestamptz,
  pruned_at timestamptz,
  record_id text collate "C" not null,
  hash bytea not null,
  -- Sealed; or `document`, where the operator wants SQL over records.
  payload bytea,
  document jsonb,
  primary key (model_id, record_id)
) partition by range (model_id);
-- Sealed bytes do not compress; partitions inherit this.
alter table records alter column payload set storage external;
create index records_sequence on records (model_id, sequence);

-- Attached rather than made in place: that lets readers and writers of other environments go on.
create function add_record_partitions(number integer) returns void language plpgsql as $$
declare
  parent text := format('records_%s', number);
begin
  execute format('create table %I (like records including defaults including storage)
                    partition by hash (model_id)', parent);
  for part in 0..3 loop
    execute format('create table %I partition of %I for values with (modulus 4, remainder %s)
                      with (autovacuum_vacuum_scale_factor = 0.05)', parent || '_' || part, parent, part);
  end loop;
  execute format('alter table records attach partition %I for values from (%s) to (%s)',
                 parent, number::bigint << 32, (number::bigint + 1) << 32);
end
$$;

-- What was saved while deletes are tracked, a row per batch.
create table record_sightings (
  model_id bigint not null,
  batch bigint generated always as identity,
  ids text[] not null,
  primary key (model_id, batch)
);

-- Who tracks deletes of a model, so that what is saved is noted: a sync, or its handler of webhooks beside it.
create table record_trackings (
  model_id bigint not null,
  tracker text not null,
  -- Seen is what the batches after this one name. Null when it took too long: then nothing is deleted.
  after_batch bigint,
  begun_at timestamptz not null,
  -- Kept until the run has succeeded, so that one that goes on from its checkpoint still knows what was seen.
  is_swept boolean not null default false,
  primary key (model_id, tracker)
);

-- Logs, partitioned by day; the partitions are made ahead of time by the server.

create table operations (
  id uuid not null,
  environment_id uuid not null,
  type text not null,
  action text not null,
  state text not null check (state in ('waiting', 'running', 'success', 'failed', 'timeout', 'cancelled')),
  level text not null default 'info',
  message text not null,
  integration jsonb,
  connection jsonb,
  function jsonb,
  actor jsonb,
  request jsonb,
  response jsonb,
  error jsonb,
  meta jsonb,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (id, created_at)
) partition by range (created_at);
-- Words for the search of logs: marks are spaces, so that a part of a path or a name is found by itself.
create function log_words(a text, b text default null, c text default null, d text default null) returns tsvector
  language sql immutable parallel safe
  return to_tsvector('simple', translate(
    a || ' ' || coalesce(b, '') || ' ' || coalesce(c, '') || ' ' || coalesce(d, ''),
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)));

-- Newest first is how operations are read; the two others are for the questions asked most often.
create index operations_environment on operations (environment_id, created_at desc, id desc);
create index operations_connection
  on operations (environment_id, (connection ->> 'name'), created_at desc, id desc);
create index operations_unusual on operations (environment_id, created_at desc, id desc) where state <> 'success';
create index operations_words on operations
  using gin (log_words(message, error ->> 'type', error ->> 'message', response ->> 'code'));
-- Takes what no day's partition takes, so that an insert never fails.
create table operations_default partition of operations default;

create table operation_messages (
  id uuid not null,
  operation_id uuid not null,
  environment_id uuid not null,
  source text not null check (source in ('internal', 'user')),
  level text not null,
  type text not null check (type in ('log', 'http')),
  message text not null,
  context text,
  request jsonb,
  response jsonb,
  error jsonb,
  meta jsonb,
  duration_ms integer,
  created_at timestamptz not null,
  primary key (id, created_at)
) partition by range (created_at);
create index operation_messages_operation on operation_messages (operation_id, created_at, id);
create index operation_messages_words on operation_messages
  using gin (log_words(message, error ->> 'type', error ->> 'message', response ->> 'code'));
create table operation_messages_default partition of operation_messages default;

-- Outgoing webhooks: written with the change that they tell of, delivered until received.

-- Addresses that were ever sent to; the id is made from environment and address.
create table webhook_receivers (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  url text not null,
  -- The first failed attempt since the last one that was received.
  failing_since timestamptz,
  -- What is queued for it is held from here on.
  disabled_at timestamptz
);
create index webhook_receivers_failing on webhook_receivers (environment_id) where failing_since is not null;

-- What one event tells many connections, once for all of their deliveries.
create table webhook_payloads (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  -- Sealed, like the headers that are sent along; null where there are none.
  body bytea not null,
  headers bytea,
  created_at timestamptz not null
);
-- Sealed bytes do not compress.
alter table webhook_payloads alter column body set storage external;
create index webhook_payloads_age on webhook_payloads (environment_id, created_at);

create table webhook_deliveries (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  receiver_id uuid not null references webhook_receivers (id) on delete cascade,
  type text not null,
  url text not null,
  -- Sealed, like the headers that are sent along; null where there are none. With a payload, what is not in it.
  body bytea not null,
  headers bytea,
  payload_id uuid references webhook_payloads (id),
  connection_uuid uuid,
  connection_id text,
  integration_key text,
  operation_id uuid,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  -- Since it was queued, or queued again.
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- Held by the one who sends it; leases use the database's clock.
  fence bigint not null default 0,
  leased_until timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz not null,
  ended_at timestamptz
);
alter table webhook_deliveries alter column body set storage external;
create index webhook_deliveries_payload on webhook_deliveries (payload_id) where payload_id is not null;
create index webhook_deliveries_due on webhook_deliveries (receiver_id, next_attempt_at) where state = 'waiting';
create index webhook_deliveries_environment on webhook_deliveries (environment_id, created_at desc, id desc);
create index webhook_deliveries_connection
  on webhook_deliveries (environment_id, connection_id, created_at desc, id desc) where connection_id is not null;
create index webhook_deliveries_failed
  on webhook_deliveries (environment_id, created_at desc, id desc) where state = 'failed';

create table webhook_attempts (
  id uuid primary key,
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  status integer,
  error text,
  -- The first KB of the answer's body.
  answer bytea,
  duration_ms integer not null,
  created_at timestamptz not null
);
create index webhook_attempts_delivery on webhook_attempts (delivery_id, created_at);

-- Ranges of deliveries that are sent again, and how far each has got.
create table webhook_replays (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  -- Of what was asked for: while it runs, the same is not begun a second time.
  hash bytea not null,
  filter jsonb not null,
  after_created_at timestamptz,
  after_id uuid,
  replayed integer not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz
);
create unique index webhook_replays_running on webhook_replays (environment_id, hash) where ended_at is null;
create index webhook_replays_environment on webhook_replays (environment_id, started_at);

-- Numbers the webhooks of a connection; the row's lock puts them in the order of their commits.
create table webhook_sequences (
  connection_uuid uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  last bigint not null
);

-- Webhooks of providers: stored before they are answered, handled in their order for each integration.

create table inbound_webhooks (
  id uuid primary key,
  sequence bigint not null generated always as identity,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null,
  -- Sealed: method, address, headers and the bytes of the body.
  request bytea not null,
  body_bytes integer not null,
  is_verified boolean not null,
  types jsonb not null,
  -- Tells of an installation for which a connection waits.
  completes boolean not null,
  state text not null default 'waiting' check (state in ('waiting', 'handled', 'duplicate', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- While one process completes the installation; leases use the database's clock.
  leased_until timestamptz,
  error text,
  operation_id uuid,
  received_at timestamptz not null,
  handled_at timestamptz
);
-- Sealed bytes do not compress.
alter table inbound_webhooks alter column request set storage external;
create index inbound_webhooks_waiting on inbound_webhooks (integration_id, sequence) where state = 'waiting';
create index inbound_webhooks_due on inbound_webhooks (integration_id, next_attempt_at) where state = 'waiting';
create index inbound_webhooks_completing on inbound_webhooks (integration_id, sequence)
  where state = 'waiting' and completes;
create index inbound_webhooks_environment on inbound_webhooks (environment_id, received_at desc, id desc);

-- Events that were handled, by a hash of the provider's id of them; a repetition finds its own here.
create table inbound_events (
  integration_id bigint not null,
  hash bytea not null,
  environment_id uuid not null references environments (id) on delete cascade,
  handled_at timestamptz not null,
  primary key (integration_id, hash)
);
create index inbound_events_age on inbound_events (environment_id, handled_at);

-- Changes of rows that processes remember, announced to all of them: `changed <table> <id>`.
-- Arguments: the column that names the row, and one whose changes are of no interest ('' for none).

create function announce_change() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or to_jsonb(old) - tg_argv[1] is distinct from to_jsonb(new) - tg_argv[1] then
    perform pg_notify('jackfield_due',
      format('changed %s %s', tg_table_name, to_jsonb(coalesce(old, new)) ->> tg_argv[0]));
  end if;
  return null;
end
$$;
create trigger announce_change after update or delete on environments
  for each row execute function announce_change('id', '');
create trigger announce_change after update or delete on environment_settings
  for each row execute function announce_change('environment_id', 'updated_at');
create trigger announce_change after insert or update or delete on webhook_signing_keys
  for each row execute function announce_change('environment_id', '');
create trigger announce_change after update or delete on api_keys
  for each row execute function announce_change('id', 'last_used_at');
create trigger announce_change after update or delete on integrations
  for each row execute function announce_change('id', '');
create trigger announce_change after update or delete on connections
  for each row execute function announce_change('uuid', 'last_fetched_at');
create trigger announce_change after update or delete on functions
  for each row execute function announce_change('id', '');
-- What is remembered is the absence of a variable, too.
create trigger announce_change after insert or update or delete on environment_variables
  for each row execute function announce_change('environment_id', '');
