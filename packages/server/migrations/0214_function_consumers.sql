-- compatible since: 0001
-- Who calls actions and reads models, by the day: whom a deployment would affect.
create table function_consumers (
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null,
  subject text not null check (subject in ('action', 'model')),
  name text not null,
  kind text not null check (kind in ('key', 'user', 'toolset', 'function')),
  -- Id of the key or the user; name of the toolset or the function. Empty: those for whom there was no room.
  consumer text not null,
  day date not null,
  uses bigint not null,
  last_at timestamptz not null,
  primary key (environment_id, integration_id, subject, name, kind, consumer, day)
);
create index function_consumers_day on function_consumers (day);
