-- compatible since: 0001
-- Agents: named sets of tools, sessions in which an agent acts for one end user, and what it called.
create table agent_toolsets (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  name text not null,
  -- The newest one.
  version integer not null,
  created_at timestamptz not null,
  unique (environment_id, name)
);

-- What a session was promised stays readable: a version is never changed.
create table agent_toolset_versions (
  toolset_id uuid not null references agent_toolsets (id) on delete cascade,
  version integer not null,
  environment_id uuid not null,
  settings jsonb not null,
  created_at timestamptz not null,
  primary key (toolset_id, version)
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name;
end
$$;
create trigger refuse_change before update on agent_toolset_versions
  for each row execute function refuse_change();

create table agent_sessions (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  token_hash bytea not null unique,
  toolset_id uuid not null,
  toolset text not null,
  toolset_version integer not null,
  end_user_id text not null,
  -- What it may less than its toolset.
  policy jsonb not null,
  max_calls integer,
  max_writes integer,
  calls integer not null default 0,
  writes integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 80);
create index agent_sessions_environment on agent_sessions (environment_id, created_at desc, id desc);
create index agent_sessions_end_user on agent_sessions (environment_id, end_user_id, created_at desc, id desc);
create index agent_sessions_expiry on agent_sessions (expires_at);

create table agent_calls (
  id uuid not null,
  at timestamptz not null,
  environment_id uuid not null references environments (id) on delete cascade,
  session_id uuid not null,
  end_user_id text,
  client text,
  toolset text not null,
  toolset_version integer not null,
  tool text not null,
  integration text,
  connection_id text,
  effect text,
  outcome text not null check (outcome in ('running', 'success', 'failed', 'refused')),
  code text,
  input_digest bytea,
  output_digest bytea,
  duration_ms integer,
  primary key (id, at)
) partition by range (at);
create table agent_calls_default partition of agent_calls default;
create index agent_calls_environment on agent_calls (environment_id, at desc, id desc);
create index agent_calls_session on agent_calls (session_id, at desc, id desc);
create index agent_calls_end_user on agent_calls (environment_id, end_user_id, at desc, id desc);

-- Of a result that an agent's session may read; null for those of a connection.
alter table tool_results add column session_id uuid;

-- Whoever remembers the tools of an environment hears of new ones, too.
create trigger announce_environment after insert or update or delete on functions
  for each row execute function announce_change('environment_id', '');
