-- compatible since: 0001
-- Links by which end users begin connect sessions, for as long and as often as their maker says.
create table connect_links (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  token_hash bytea not null unique,
  -- What the sessions are made with.
  settings jsonb not null,
  note text,
  max_uses integer not null,
  uses integer not null default 0,
  last_used_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index connect_links_environment on connect_links (environment_id, created_at desc, id desc);
create index connect_links_expiry on connect_links (expires_at);
