-- compatible since: 0001
-- Calls of agents that a person has to approve. They go with their session. The release before asks for none, and lets
-- such calls run: end the sessions of toolsets with rules before you go back to it.
create table agent_approvals (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  session_id uuid not null references agent_sessions (id) on delete cascade,
  tool text not null,
  integration text not null,
  connection_id text not null,
  effect text not null check (effect in ('read', 'write', 'destructive')),
  -- Of the version of the tool, the account and the arguments.
  call_digest bytea not null,
  -- Of the first request that changes something, which was shown.
  change_digest bytea not null,
  -- Arguments and request, sealed.
  shown bytea not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'denied', 'used')),
  scope text check (scope in ('once', 'session')),
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  check ((state = 'waiting') = (decided_at is null))
);
-- One at a time for a call; also how the approval of a call is found.
create unique index agent_approvals_open on agent_approvals (session_id, call_digest)
  where state in ('waiting', 'approved');
create index agent_approvals_session on agent_approvals (session_id, created_at);
create index agent_approvals_list on agent_approvals (environment_id, created_at desc, id desc);
