-- compatible since: 0001
-- Logins of the database with which environments read their records in views. What the database has of each, such as
-- its password, is there alone: a copy of the tables has rows whose logins are missing.
create table record_sql_access (
  role_name text primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  -- Of the role's views.
  schema_name text not null,
  -- In which it was made: a copy in the same cluster does not take it for its own.
  database_oid oid not null,
  created_at timestamptz not null,
  password_set_at timestamptz not null,
  -- Name of each view, and its model; made by a release that makes such views.
  views jsonb not null default '{}',
  views_version integer not null default 0,
  -- When to compare the views with the models next.
  follow_at timestamptz not null,
  -- The role can no longer sign in, and is about to be dropped.
  ended_at timestamptz
);
create unique index record_sql_access_environment on record_sql_access (environment_id) where ended_at is null;
create index record_sql_access_follow on record_sql_access (follow_at) where ended_at is null;
