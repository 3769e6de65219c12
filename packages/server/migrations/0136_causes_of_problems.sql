-- compatible since: 0001
-- Why something is wrong and when the server tries next, and what tells the errors of one function apart.
alter table problems
  add column cause text,
  add column code text,
  add column place text,
  add column next_at timestamptz,
  add column sample_operation_id uuid;

-- Hosts of providers that take no connections, or whose token endpoint fails, as the calls of an environment find them.
create table provider_outages (
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null,
  host text not null,
  -- The first call of this outage that failed or was held back, and the last.
  since timestamptz not null,
  last_at timestamptz not null,
  calls bigint not null,
  reason text not null,
  -- No call is sent before.
  held_until timestamptz,
  -- The last answer; null before one.
  reached_at timestamptz,
  primary key (environment_id, integration_id, host)
);
create index provider_outages_last on provider_outages (last_at);

-- Errors of functions by type and place, a row for each as long as it comes again and again.
create table function_errors (
  environment_id uuid not null references environments (id) on delete cascade,
  function_id bigint not null,
  code text not null,
  place text not null,
  since timestamptz not null,
  last_at timestamptz not null,
  count bigint not null,
  last_operation_id uuid not null,
  primary key (environment_id, function_id, code, place)
);
create index function_errors_last on function_errors (last_at);

-- Values of functions that did not match their schema, where that is only told and not refused.
create table schema_mismatches (
  environment_id uuid not null references environments (id) on delete cascade,
  function_id bigint not null,
  -- input, output, records of a model, metadata, checkpoint.
  what text not null,
  since timestamptz not null,
  last_at timestamptz not null,
  count bigint not null,
  last_operation_id uuid not null,
  primary key (environment_id, function_id, what)
);
create index schema_mismatches_last on schema_mismatches (last_at);

-- The file system of the data folder, as the process of the pool sees it.
alter table worker_heartbeats
  add column free_bytes bigint,
  add column total_bytes bigint;

create index webhook_signing_keys_ending on webhook_signing_keys (expires_at) where expires_at is not null;
