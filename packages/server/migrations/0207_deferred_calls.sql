-- compatible since: 0001
-- Calls of agents that their clients follow as tasks of the protocol: they wait for a person, or take long. They go with
-- their session. The release before has none.
create table agent_deferred_calls (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  session_id uuid not null references agent_sessions (id) on delete cascade,
  state text not null check (state in ('waiting', 'asking', 'running', 'ended', 'cancelled')),
  -- For which it waits; null for one that waits for nobody.
  approval_id uuid,
  -- Only the newest attempt may say how the call has ended.
  attempt integer not null default 0,
  lease_until timestamptz,
  is_cancelled boolean not null default false,
  -- Tool, arguments, and what the client's user has answered, sealed.
  call bytea not null,
  -- What the client is to ask its user, sealed; null while it is asked nothing.
  asked bytea,
  -- Result or error, sealed.
  result bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null
) with (fillfactor = 70);
create index agent_deferred_calls_session on agent_deferred_calls (session_id, created_at);
create index agent_deferred_calls_environment on agent_deferred_calls (environment_id);
create index agent_deferred_calls_expiry on agent_deferred_calls (expires_at);
