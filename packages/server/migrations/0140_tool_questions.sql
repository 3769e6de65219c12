-- compatible since: 0001
-- Questions of a tool that its client's user answers by another request, which may reach another process.
create table tool_questions (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  -- Who may answer: a connection, or a session of an agent.
  owner text not null,
  -- Sealed JSON; null until somebody has answered.
  answer bytea,
  created_at timestamptz not null
);
create index tool_questions_age on tool_questions (created_at);
