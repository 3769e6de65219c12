-- compatible since: 0001
-- Budgets of agents by the day, over all sessions of an end user with a toolset, and of the tokens of results.
alter table agent_sessions
  add column max_calls_per_day integer,
  add column max_writes_per_day integer,
  add column max_result_tokens integer,
  add column result_tokens integer not null default 0;

create table agent_days (
  environment_id uuid not null references environments (id) on delete cascade,
  toolset_id uuid not null,
  end_user_id text not null,
  -- In UTC.
  day date not null,
  calls integer not null,
  writes integer not null,
  primary key (environment_id, toolset_id, end_user_id, day)
) with (fillfactor = 80);
create index agent_days_age on agent_days (day);
