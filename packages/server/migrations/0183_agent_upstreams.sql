-- compatible since: 0001
-- Tools of other MCP servers, as integrations have them. The release before does not look at them.

-- Which tools of the first list of a server are allowed without a further word: "all", "read_only", or names.
create table agent_upstreams (
  integration_id bigint primary key references integrations (id) on delete cascade,
  environment_id uuid not null references environments (id) on delete cascade,
  allow json not null
);
create index agent_upstreams_environment on agent_upstreams (environment_id);

-- Every version of a tool that a server has listed, by the digest of its definition: an agent calls those alone that
-- somebody has allowed.
create table agent_upstream_tools (
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id) on delete cascade,
  server_url text not null,
  name text not null,
  digest text not null,
  -- Not jsonb, for the order of properties counts.
  definition json not null,
  state text not null check (state in ('new', 'allowed', 'refused')),
  -- As the operator says; null: a write.
  effect text check (effect in ('read', 'write', 'destructive')),
  sends boolean not null default false,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  decided_at timestamptz,
  primary key (integration_id, server_url, name, digest)
);
create index agent_upstream_tools_environment on agent_upstream_tools (environment_id, state);
create trigger announce_environment after insert or update or delete on agent_upstream_tools
  for each row execute function announce_change('environment_id', 'seen_at');

-- What a server listed last for a connection; a public list is that of all connections to the server.
create table agent_upstream_lists (
  connection_uuid uuid primary key references connections (uuid) on delete cascade,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id) on delete cascade,
  server_url text not null,
  is_public boolean not null,
  -- Digests by the names of tools.
  tools json not null,
  -- What the server says of itself.
  server json,
  refreshed_at timestamptz,
  expires_at timestamptz not null,
  failure text,
  failed_at timestamptz
);
create index agent_upstream_lists_environment on agent_upstream_lists (environment_id);
create index agent_upstream_lists_integration on agent_upstream_lists (integration_id, refreshed_at desc);
create index agent_upstream_lists_public on agent_upstream_lists (integration_id, server_url) where is_public;
create trigger announce_environment after update on agent_upstream_lists
  for each row when (old.tools::text is distinct from new.tools::text)
  execute function announce_change('environment_id', '');
create trigger announce_new after insert or delete on agent_upstream_lists
  for each row execute function announce_change('environment_id', '');
