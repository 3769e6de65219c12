-- compatible since: 0001
-- Platforms that connections move away from: their tokens are read through until they are handed over. The release
-- before has no refresh token of such connections: it uses each until it expires, and cannot renew it.
alter table connections
  -- The old platform that refreshes the tokens; null: this server does.
  add column read_through uuid;

create table old_platforms (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  name text not null,
  url text not null,
  -- Sealed.
  secret_key bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (environment_id, name)
);

create table old_platform_connections (
  connection_uuid uuid primary key references connections (uuid) on delete cascade,
  environment_id uuid not null,
  old_platform_id uuid not null references old_platforms (id) on delete cascade,
  state text not null check (state in
    ('read_through', 'handing_over', 'handed_over', 'handing_back', 'reauthorized')),
  -- How it is known that the old platform no longer refreshes.
  old_side text check (old_side in ('deleted', 'stopped', 'unchanged')),
  -- The credentials that a hand-over has taken, sealed, until it is certain that the old platform has none.
  taken bytea,
  refusal_code text,
  refusal_message text,
  refused_at timestamptz,
  imported_at timestamptz not null,
  changed_at timestamptz not null,
  handed_over_at timestamptz,
  check ((state = 'handing_over') = (taken is not null))
);
create index old_platform_connections_list on old_platform_connections (old_platform_id, imported_at, connection_uuid);
