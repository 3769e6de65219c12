-- compatible since: 0001
-- Attempts of a connect session, each with a result of its own; the session's row mirrors the latest.
create table connect_attempts (
  id uuid primary key,
  session_id uuid not null references connect_sessions (id) on delete cascade,
  environment_id uuid not null references environments (id) on delete cascade,
  -- What the client calls it.
  attempt_id text,
  state text not null default 'waiting' check (state in ('waiting', 'success', 'error')),
  -- Set before `state`: while a check of the customer runs, the connection already counts.
  connection_uuid uuid,
  is_pending boolean not null default false,
  error jsonb,
  created_at timestamptz not null
);
create index connect_attempts_session on connect_attempts (session_id, created_at);
create index connect_attempts_pending on connect_attempts (connection_uuid) where is_pending;
