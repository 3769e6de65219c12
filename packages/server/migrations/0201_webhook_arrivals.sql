-- compatible since: 0001
-- How webhooks arrive for each connection: how many, in which rhythm, with which gaps.
create table webhook_arrivals (
  -- Order of the list.
  id bigint generated always as identity,
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  received bigint not null default 0,
  duplicates bigint not null default 0,
  -- What the rhythm and the sequence are known by.
  rhythm jsonb not null default '{}',
  sequence jsonb,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- When silence is beyond the rhythm; null until that is known.
  due_at timestamptz,
  silent_since timestamptz,
  -- It begins with the connection, so that no other index is taken for it.
  primary key (connection_uuid, environment_id)
);
create index webhook_arrivals_newest on webhook_arrivals (environment_id, id desc);
create index webhook_arrivals_due on webhook_arrivals (due_at) where due_at is not null;
create index webhook_arrivals_silent on webhook_arrivals (silent_since) where silent_since is not null;

-- When the server last looked for silence: where it did not, it was down, and no silence counts.
create table webhook_watch (
  only_row boolean primary key default true check (only_row),
  watched_at timestamptz not null
);
create table webhook_watch_gaps (
  began_at timestamptz primary key,
  ended_at timestamptz not null
);
