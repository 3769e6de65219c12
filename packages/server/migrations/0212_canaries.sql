-- compatible since: 0001
-- A deployment that some connections try before all others get it. The release before knows of none: its processes run
-- the deployed version for all connections, and what they deploy ends a canary of the same functions.
alter table deployments drop constraint deployments_way_check;
alter table deployments add constraint deployments_way_check
  check (way in ('upload', 'staged', 'bundle', 'source', 'rollback', 'canary'));

create table canaries (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  state text not null check (state in ('running', 'promoted', 'rolled_back')),
  -- Which connections were asked for, for how long, and within which limits.
  settings jsonb not null,
  actor jsonb not null,
  chosen integer not null,
  -- Functions that go with the promotion, and models that no sync writes after it.
  removed bigint[] not null,
  deleted_models text[] not null,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  next_check_at timestamptz not null,
  -- How it ended: by whom, or by itself, and why.
  ended_at timestamptz,
  ended_by jsonb,
  by_itself boolean,
  reason text,
  deployment_id uuid,
  check ((state = 'running') = (ended_at is null))
);
create unique index canaries_running on canaries (environment_id) where state = 'running';
create index canaries_check on canaries (next_check_at) where state = 'running';
create index canaries_list on canaries (environment_id, started_at desc, id desc);
-- What is remembered is the absence of a canary, too.
create trigger announce_change after insert or update or delete on canaries
  for each row execute function announce_change('environment_id', 'next_check_at');

create table canary_functions (
  canary_id uuid not null references canaries (id) on delete cascade,
  environment_id uuid not null,
  -- Null for one that is new; those wait for the promotion.
  function_id bigint,
  integration_id bigint not null,
  integration_key text not null,
  type text not null,
  name text not null,
  version text,
  source text not null,
  definition jsonb not null,
  bundle_sha256 bytea not null,
  -- What it replaces.
  base_version text,
  base_sha256 bytea,
  primary key (canary_id, integration_id, type, name)
);
create index canary_functions_bundle on canary_functions (environment_id, bundle_sha256);
create index canary_functions_id on canary_functions (canary_id, function_id) where function_id is not null;

create table canary_connections (
  canary_id uuid not null references canaries (id) on delete cascade,
  connection_uuid uuid not null,
  primary key (canary_id, connection_uuid)
);

-- How runs of both versions ended, as histograms: `measure` is what was counted, `bucket` its size.
create table canary_counts (
  canary_id uuid not null references canaries (id) on delete cascade,
  function_id bigint not null,
  side text not null check (side in ('canary', 'outside', 'before', 'history')),
  measure text not null check (measure in ('outcome', 'duration', 'added', 'updated', 'deleted')),
  bucket smallint not null,
  count bigint not null,
  total bigint not null,
  primary key (canary_id, function_id, side, measure, bucket)
);

-- Syncs that have run the version of a canary, and how far they had come before: what a rollback takes back.
create table canary_syncs (
  canary_id uuid not null references canaries (id) on delete cascade,
  sync_id uuid not null,
  environment_id uuid not null,
  -- As the first run of the canary found them.
  checkpoint jsonb,
  last_sync_date timestamptz,
  touched_at timestamptz not null,
  -- Also its handler of webhooks has run.
  by_webhook boolean not null,
  -- Set when no run of the canary writes any more.
  stopped_at timestamptz,
  primary key (canary_id, sync_id)
);
