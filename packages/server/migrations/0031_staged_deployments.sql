-- compatible since: 0001
-- Deployments that come in several requests: what was sent waits here until it is committed, or expires.
create table staged_deployments (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  settings jsonb not null,
  -- What it holds, so that it stays within its room.
  functions integer not null default 0,
  bytes bigint not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index staged_deployments_environment on staged_deployments (environment_id, created_at desc);
create index staged_deployments_expiry on staged_deployments (expires_at);

create table staged_functions (
  environment_id uuid not null references environments (id) on delete cascade,
  deployment_id uuid not null references staged_deployments (id) on delete cascade,
  integration_key text not null,
  type text not null check (type in ('sync', 'action', 'on-event')),
  name text not null,
  -- The function as it is deployed, without its bundle.
  uploaded jsonb not null,
  bundle_sha256 bytea not null,
  primary key (deployment_id, integration_key, type, name)
);

create table staged_bundles (
  environment_id uuid not null references environments (id) on delete cascade,
  deployment_id uuid not null references staged_deployments (id) on delete cascade,
  sha256 bytea not null,
  code text not null,
  source text not null,
  source_map text,
  primary key (deployment_id, sha256)
);
