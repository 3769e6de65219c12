-- compatible since: 0001
-- Databases of customers to which changes of records are delivered. How far each is stands in that database, in the
-- transaction with the records: what is here says what to deliver, and when.
create table record_destinations (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  name text not null,
  type text not null check (type = 'postgres'),
  -- JSON: the URL with its password, and certificates. Sealed.
  target bytea not null,
  -- Host, port and database, to be shown.
  address text not null,
  schema_name text not null,
  table_name text not null,
  models text[],
  integrations text[],
  -- The table is emptied when it was filled for a lower one; milliseconds since 1970, so that a later one is higher.
  generation bigint not null,
  pause_reason text check (pause_reason in ('requested', 'restored_copy')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When to look for changes; while a process delivers, when another one may. Null while it is paused.
  due_at timestamptz,
  -- Of the feed: everything up to there is delivered, as far as is known here. Null: unknown.
  epoch bigint,
  position bigint,
  idle_ms integer not null default 0,
  contacted_at timestamptz,
  delivered bigint not null default 0,
  last_delivered_at timestamptz,
  failures integer not null default 0,
  failing_since timestamptz,
  error_code text,
  error_message text,
  error_at timestamptz,
  unique (environment_id, name)
);
create index record_destinations_due on record_destinations (due_at) where due_at is not null;
create index record_destinations_failing on record_destinations (failing_since) where failing_since is not null;
