-- compatible since: 0001
-- Connections that a revocation has frozen, and what became of each. The release before knows of no freezing and lets
-- frozen connections be used: wait until revocations have ended before you go back to it.
alter table connections
  add column frozen_by uuid,
  add column frozen_at timestamptz;

create table revocations (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  is_rehearsal boolean not null,
  -- Which connections are meant, and who wants it.
  match jsonb not null,
  reason text,
  actor jsonb not null,
  ends_sessions boolean not null,
  created_at timestamptz not null,
  -- How far the choice of connections is: the last one chosen, and how often it is still gone through.
  after_created_at timestamptz,
  after_id bigint,
  passes_left smallint not null,
  matched integer not null default 0,
  frozen_at timestamptz,
  -- Sessions and keys that touched them.
  touched jsonb,
  -- Signed, once all is over.
  summary text,
  ended_at timestamptz
);
create index revocations_list on revocations (environment_id, created_at desc, id desc);
create index revocations_open on revocations (created_at) where ended_at is null;

create table revocation_items (
  revocation_id uuid not null references revocations (id) on delete cascade,
  -- The id of the connection as customers see it.
  position bigint not null,
  environment_id uuid not null,
  connection_uuid uuid not null,
  connection_id text not null,
  integration_id bigint not null,
  integration_key text not null,
  provider text not null,
  state text not null default 'waiting' check (state in
    ('waiting', 'withdrawn', 'partly_withdrawn', 'not_withdrawable', 'failed', 'gone', 'released')),
  attempts smallint not null default 0,
  due_at timestamptz,
  frozen_at timestamptz,
  -- When the connection would have been refreshed for not being used.
  next_refresh_at timestamptz,
  -- What a withdrawal needs of a connection that was deleted or authorised again meanwhile, sealed.
  kept bytea,
  -- What has been done so far, and what the provider answered.
  outcome jsonb,
  -- Signed, once the state is no longer waiting.
  report text,
  settled_at timestamptz,
  primary key (revocation_id, position),
  check ((state = 'waiting') = (settled_at is null))
);
create index revocation_items_due on revocation_items (due_at) where due_at is not null;
create index revocation_items_connection on revocation_items (connection_uuid, revocation_id);

-- With which the reports of an environment are signed.
create table report_keys (
  environment_id uuid primary key references environments (id) on delete cascade,
  public_key jsonb not null,
  -- Sealed.
  private_key bytea not null,
  created_at timestamptz not null
);
