-- compatible since: 0001
-- What the tables of webhooks need to be distributed by environment (docs/scale.md).

-- Which environments have work that is due, and from when on. Written only where the tables of the work are distributed:
-- then nothing else says it for all environments at once. Rows are only added, so that writers never wait for each
-- other; who has looked at what they are about puts one row, or none, in their place.
create table due_notes (
  id bigint primary key generated always as identity,
  work text not null,
  environment_id uuid not null references environments (id) on delete cascade,
  -- What is done in order within the environment, such as one integration's webhooks; 0 where all of it is one.
  queue bigint not null default 0,
  due_at timestamptz not null
);
create index due_notes_work on due_notes (work, due_at);
create index due_notes_environment on due_notes (environment_id);
alter table due_notes set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.05);

alter table inbound_webhook_connections add column environment_id uuid;

-- By a trigger: the release before does not write the column. Ours does, so that it is never called.
create function fill_environment_of_webhook() returns trigger language plpgsql as $$
begin
  new.environment_id := (select w.environment_id from inbound_webhooks w where w.id = new.webhook_id);
  return new;
end
$$;
create trigger fill_environment before insert on inbound_webhook_connections
  for each row when (new.environment_id is null) execute function fill_environment_of_webhook();
