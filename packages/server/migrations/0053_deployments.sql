-- compatible since: 0001
-- Every deployment, whichever way it came, and what each function was before it.
create table deployments (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  way text not null check (way in ('upload', 'staged', 'bundle', 'source', 'rollback')),
  state text not null check (state in ('success', 'failed')),
  actor jsonb not null,
  -- How many functions it created, updated, removed and left as they were, and the first of those that it changed.
  summary jsonb not null,
  error jsonb,
  operation_id uuid,
  -- Of a rollback: the deployment whose changes it took back.
  rollback_of uuid,
  created_at timestamptz not null
);
create index deployments_environment on deployments (environment_id, created_at desc, id desc);

-- What a function was made by a deployment. By its names rather than its number: a function that was removed and comes
-- back has a new number. A process of the previous release writes none; what it deploys is added with the next change.
create table function_versions (
  id bigint generated always as identity primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null,
  type text not null,
  name text not null,
  -- known: was deployed before versions were kept.
  kind text not null check (kind in ('new', 'updated', 'removed', 'known')),
  deployment_id uuid,
  -- Null where it was removed.
  version text,
  source text,
  definition jsonb,
  bundle_sha256 bytea,
  -- What the function was before; null where there was none.
  previous_id bigint,
  deployed_at timestamptz not null
);
create index function_versions_name on function_versions (environment_id, integration_id, type, name, id desc);
create index function_versions_deployment on function_versions (deployment_id) where deployment_id is not null;
-- Room is made for bundles that nothing names any more.
create index function_versions_bundle on function_versions (environment_id, bundle_sha256) where bundle_sha256 is not null;

-- How runs of functions ended, by the hour; a process adds its sums every few seconds.
create table function_run_counts (
  environment_id uuid not null references environments (id) on delete cascade,
  function_id bigint not null,
  hour timestamptz not null,
  runs bigint not null,
  failures bigint not null,
  last_at timestamptz not null,
  last_succeeded boolean not null,
  last_operation_id uuid not null,
  primary key (environment_id, function_id, hour)
);

-- The last condition is true of every row: only who lists says so.
create index functions_created on functions (environment_id, created_at desc, id desc)
  where deleted_at is null and created_at > '-infinity';
create index functions_bundle on functions (bundle_sha256, environment_id);
