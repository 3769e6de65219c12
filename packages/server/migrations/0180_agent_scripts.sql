-- compatible since: 0001
-- Scripts of agents, and the tape of what their calls were answered, by which one that was interrupted continues. They
-- go with their session. The release before runs none.
create table agent_scripts (
  -- That of the call by which the agent began it.
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  session_id uuid not null references agent_sessions (id) on delete cascade,
  -- Of code and input: by it a call that is repeated finds its script.
  digest bytea not null,
  -- Code, input and seed, sealed.
  code bytea not null,
  state text not null check (state in ('running', 'waiting', 'ended')),
  -- Only the newest attempt may write to the tape.
  attempt integer not null default 1,
  lease_until timestamptz not null,
  -- Of the session's budget, taken for the attempt that runs; 0 while none does.
  reserved_ms integer not null default 0,
  tape_bytes integer not null default 0,
  -- What the agent was answered at the end, sealed.
  answer bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null
) with (fillfactor = 70);
create unique index agent_scripts_open on agent_scripts (digest, session_id) where state in ('running', 'waiting');
create index agent_scripts_session on agent_scripts (session_id, created_at);
create index agent_scripts_environment on agent_scripts (environment_id);
create index agent_scripts_expiry on agent_scripts (expires_at);

create table agent_script_calls (
  script_id uuid not null references agent_scripts (id) on delete cascade,
  -- From 0 on, in the order in which the script made them.
  position bigint not null,
  environment_id uuid not null,
  -- Of the tool's name, the account and the arguments, as the script wrote them.
  digest bytea not null,
  -- Whether a request that changes something may have been sent.
  has_changed boolean not null default false,
  -- In which order the answers came, from 0 on; null without one.
  answered integer,
  -- The clock of the script from then on.
  answered_at timestamptz,
  -- Output or failure, sealed.
  answer bytea,
  primary key (script_id, position)
);

-- The call of a script by which this one was made.
alter table agent_calls add column parent_id uuid;
create index agent_calls_parent on agent_calls (parent_id) where parent_id is not null;

-- Of scripts; used time is counted in any case.
alter table agent_sessions add column max_code_seconds integer;
alter table agent_sessions add column code_ms bigint not null default 0;

-- Null for what a script returned, which is of no single connection.
alter table tool_results alter column connection_uuid drop not null;
create index tool_results_of_session on tool_results (session_id, created_at) where session_id is not null;
