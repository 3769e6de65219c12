-- compatible since: 0001
-- Recorded runs, and which runs are recorded. The release before records none.
create table tapes (
  environment_id uuid not null references environments (id) on delete cascade,
  operation_id uuid not null,
  connection_uuid uuid not null,
  integration_key text not null,
  function_name text not null,
  kind text not null check (kind in ('sync', 'webhook', 'action', 'on-event')),
  reason text not null check (reason in ('sample', 'next_failure')),
  state text not null check (state in ('success', 'failed')),
  calls integer not null,
  bytes integer not null,
  is_cut boolean not null,
  -- JSON, compressed and sealed.
  tape bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (environment_id, operation_id)
);
-- It is compressed already.
alter table tapes alter column tape set storage external;
create index tapes_age on tapes (environment_id, created_at, operation_id);
create index tapes_connection on tapes (environment_id, connection_uuid);
create index tapes_expiry on tapes (expires_at);

create table tape_rules (
  environment_id uuid not null references environments (id) on delete cascade,
  function_id bigint not null references functions (id) on delete cascade,
  sample double precision not null check (sample between 0 and 1),
  next_failure boolean not null,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (environment_id, function_id)
);
create index tape_rules_function on tape_rules (function_id);
create trigger announce_change after insert or update or delete on tape_rules
  for each row execute function announce_change('environment_id', '');
