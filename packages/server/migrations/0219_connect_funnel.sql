-- compatible since: 0001
-- How far end users come when they connect: each session counts once for each step and integration.
create table connect_session_steps (
  session_id uuid not null references connect_sessions (id) on delete cascade,
  environment_id uuid not null references environments (id) on delete cascade,
  -- 0: of the session as a whole.
  integration_id bigint not null,
  step text not null,
  -- Of a failure, its code.
  reason text not null default '',
  primary key (session_id, integration_id, step)
);

-- A row for each day, integration and step of 90 days, and for each reason of failures; nothing of sessions.
create table connect_funnel (
  environment_id uuid not null references environments (id) on delete cascade,
  day date not null,
  -- 0: of sessions that any integration was open to.
  integration_id bigint not null,
  step text not null,
  reason text not null default '',
  count bigint not null,
  primary key (environment_id, day, integration_id, step, reason)
);
