-- compatible since: 0001
-- Which fields the records of a model have, by type: samples of what runs saved, without a value.
create table record_drift (
  -- Order of the list.
  id bigint generated always as identity,
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  -- As the model is stored.
  model text not null,
  profile jsonb not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (connection_uuid, model, environment_id)
);
create index record_drift_newest on record_drift (environment_id, id desc);
create index record_drift_last_at on record_drift (last_at);
