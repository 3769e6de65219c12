-- compatible since: 0001
-- Of syncs that also handle webhooks, by the day of UTC: changes that webhooks brought, and those that a scheduled run
-- found although no webhook had.
create table sync_reconciliations (
  -- Order of the list, within a day.
  id bigint generated always as identity,
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  model text not null,
  day date not null,
  brought bigint not null,
  missed bigint not null,
  -- Scheduled runs that looked.
  runs bigint not null,
  primary key (connection_uuid, model, day, environment_id)
);
create index sync_reconciliations_newest on sync_reconciliations (environment_id, day desc, id desc);
create index sync_reconciliations_missed on sync_reconciliations (environment_id, day desc, id desc) where missed > 0;
create index sync_reconciliations_day on sync_reconciliations (day);
